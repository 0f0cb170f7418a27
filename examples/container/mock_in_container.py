import json
from base64 import b64encode
from urllib.request import Request, urlopen

from testcontainers.core.container import DockerContainer
from testcontainers.core.waiting_utils import wait_for_logs

container = (
    DockerContainer("registry.example.com/mailing-sync-mock:0.1.0")
    .with_exposed_ports(4025)
    .with_env("MAILING_SYNC_MOCK_IN_MEMORY", "true")
)
with container as mock:
    wait_for_logs(mock, "mailing-sync-mock ready on")
    url = f"http://{mock.get_container_host_ip()}:{mock.get_exposed_port(4025)}"
    credentials = b64encode(b"demo+my-test:demo").decode()
    synchronization = "22222222-0000-4000-8000-000000000001"
    request = Request(
        f"{url}/integrations/mailing-platform/mailing-synchronizations/{synchronization}/sendings",
        data=json.dumps({"transactionId": "my-test"}).encode(),
        headers={"Authorization": f"Basic {credentials}", "Content-Type": "application/hal+json"},
    )
    print(json.load(urlopen(request))["state"])
