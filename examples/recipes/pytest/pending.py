import unittest

from mailing_client import send_mailing
from mailing_sync_mock import MailingSyncMock


class Pending(unittest.TestCase):
    def test_asks_again_while_the_sending_is_pending(self):
        space = MailingSyncMock.shared().space(scenario="pending-until-4m50")
        state = send_mailing(space.url, space.user, space.password, space.advance, "22222222-0000-4000-8000-000000000001")
        self.assertEqual(state, "CREATED")
        space.assert_sent_exactly_once()
        space.finish()
