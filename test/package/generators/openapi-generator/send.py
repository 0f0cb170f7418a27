import os

import openapi_client
from openapi_client.api.sendings_api import SendingsApi
from openapi_client.models import SendingRequest

configuration = openapi_client.Configuration(
    host=os.environ["MOCK_URL"], username=os.environ["MOCK_USER"], password="demo"
)
sendings = SendingsApi(openapi_client.ApiClient(configuration))
sending, status, _ = sendings.create_sending_with_http_info(
    "22222222-0000-4000-8000-000000000001", SendingRequest(transaction_id="generated")
)
print(status, sending.state, sending.target.sending_id)
