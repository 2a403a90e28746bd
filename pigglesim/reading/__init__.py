"""From resting bodies to poses, zones and knocks."""
