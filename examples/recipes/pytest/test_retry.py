import pytest
from mailing_client import send_mailing

NEWSLETTER = "22222222-0000-4000-8000-000000000001"


def send(space, **limits):
    # Waiting moves the space's clock, so nothing sleeps. A timeout passes in real time, so a test makes it short.
    return send_mailing(space.url, space.user, space.password, space.advance, NEWSLETTER, **limits)


def test_asks_again_while_the_sending_is_pending(space):
    space.arm("pending-until-4m50")
    assert send(space) == "CREATED"
    space.assert_fired()
    space.assert_sent_exactly_once(NEWSLETTER)
    space.assert_no_findings(believes="sent")


def test_repeats_when_the_response_is_lost_after_the_send(space):
    space.arm("reset-after")
    state = send(space)
    space.assert_sent_exactly_once(NEWSLETTER)
    assert state == "CREATED"
    assert len(space.requests(operation="createSending")) == 2


def test_repeats_with_the_same_id_when_it_times_out(space):
    space.arm("hang-after")
    assert send(space, timeout=0.3) == "CREATED"
    first, second = space.requests(operation="createSending")
    assert first["body"] == second["body"]
    space.assert_sent_exactly_once(NEWSLETTER)


@pytest.mark.parametrize("scenario, sent", [("indeterminate-sent", 1), ("indeterminate-not-sent", 0)])
def test_leaves_an_uncertain_sending_alone(space, scenario, sent):
    space.arm(scenario)
    assert send(space) == "INDETERMINATE_FAILURE"
    assert len(space.requests(operation="createSending")) == 1
    space.assert_sent(sent, NEWSLETTER)
