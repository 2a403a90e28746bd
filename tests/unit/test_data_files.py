"""Names of models, scenes, floors and teams."""

import pytest

from pigglesim.data_files import model_file, scene_file
from pigglesim.errors import SpecError


@pytest.mark.parametrize(
    ("find", "name", "problem"),
    [
        (scene_file, "felt", "'felt' is a floor, not a scene .*study --kind drop --scene felt"),
        (scene_file, "premium", "'premium' is a model, not a scene"),
        (model_file, "piggles_classic", "'piggles_classic' is a scene, not a model"),
        (model_file, "blue", "'blue' is a team, not a model"),
        (model_file, "pigle", "unknown model 'pigle'; use piggle"),
    ],
)
def test_a_name_of_another_kind_is_named_as_such(find, name, problem):
    with pytest.raises(SpecError, match=problem):
        find(name)
