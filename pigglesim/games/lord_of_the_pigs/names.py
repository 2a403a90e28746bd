"""What each card is called, as far as the source can be read (LP12).

Four names are lost or garbled there; those cards go by their owner and tag.
"""

from collections.abc import Mapping

from pigglesim.games.lord_of_the_pigs.actors import Actor, actor
from pigglesim.rolls import Seat

__all__ = ["CARD_NAMES", "card_name"]

CARD_NAMES: Mapping[Actor, Mapping[str, str]] = {
    Actor.PRESIDENT: {
        "C1": "Organic Law Against Energy Poverty",
        "C2": "Structural Measures Package",
        "C3": "Remote Administrative Managing Law",
        "C4": "Energy Security Convention",
        "C5": "Savings Promotion Campaign",
        "C6": "Streamlining of National Oil Resources Act",
        "U1": "VAT Reduction",
        "U2": "National Production Protection Act",
        "U3": '"24/7" Law to Invigorate Consumption',
        "U4": "Workers' Rights Protection Campaign",
        "R1": "Private Sector Growth's Stimulus Package",
        "R2": "Strategic Intervention in the Financial Sector",
        "R3": "Social Pact",
    },
    Actor.BANKER: {
        "C1": "Lower Lending Rate to Small Companies",
        "C2": "Up Lending Rate to Small Companies",
        "C3": "New Risk Assessment Study",
        "C4": "Popularize Consumption Lends",
        "C5": "Prioritize Investment in Public Sector",
        "C6": "Prioritize Investment in Private Sector",
        "U1": "International Finance Relations Committee",
        "U2": "Loan Risk Minimization Plan",
        "U3": "Hedge Fund in New Extraction Techniques",
        "U4": 'Creation of "Bank of Meridia" Foundation',
        "R1": "Economic Assessment Committee",
        "R2": "Strategic Restructuring",
        "R3": "Real Estate Strategy",
    },
    Actor.CORPORATE: {
        "C1": "Corporate C1",
        "C2": "Corporate C2",
        "C3": "Strategic Acquisition of Prime Materials",
        "C4": "In-Factory Energy Plant",
        "C5": "Break into Stock Market",
        "C6": "Supply Strategic Agreement",
        "U1": "Hybrid Card Development",
        "U2": "Relocation of Production Sites",
        "U3": "Expand Towards the Healthcare Sector",
        "U4": "Reforestation Plan",
        "R1": "Committee for the Defense of the National Produce",
        "R2": "Lobby to End Energy Monopoly",
        "R3": "Integral Production Commitment",
    },
    Actor.ENERGY: {
        "C1": "Energy C1",
        "C2": "Energy C2",
        "C3": "Focus on Traditional Energy Sources",
        "C4": "Rate System's Redesign",
        "C5": "Energy Consumption's Committee",
        "C6": "Consumption Awareness Campaign",
        "U1": "Wind Power Farm Inauguration",
        "U2": "Energy Sector Sustainability Committee",
        "U3": "Shale Gas Discovery",
        "U4": "Coal Plant Phase Out Plan",
        "R1": "First Shale Gas Exploitation",
        "R2": "Alliance for the Defense of the National Energy",
        "R3": "Support Off-Grid Production",
    },
}
"""The names as the source spells them, by actor and tag."""


def card_name(seat: Seat, tag: str) -> str:
    """Return what a card of the actor at `seat` is called."""
    return CARD_NAMES[actor(seat)][tag]
