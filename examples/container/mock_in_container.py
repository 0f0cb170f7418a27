import os

from mailing_sync_mock import MailingSyncMock
from testcontainers.core.container import DockerContainer
from testcontainers.core.waiting_utils import wait_for_logs

container = (
    DockerContainer("registry.example.com/mailing-sync-mock:0.1.0")
    .with_exposed_ports(4025)
    .with_env("MAILING_SYNC_MOCK_IN_MEMORY", "true")
)
with container as mock:
    wait_for_logs(mock, "mailing-sync-mock ready on")
    # For the kit in the tests of this process, too; without it the kit starts a mock of its own.
    os.environ["MAILING_SYNC_URL"] = f"http://{mock.get_container_host_ip()}:{mock.get_exposed_port(4025)}"
    space = MailingSyncMock.shared().space()
    space.arm("reset-after")
    # Your client sends to space.url, as space.user with space.password.
    print(len(space.requests(operation="createSending")), "requests,", len(space.sent()), "sent")
