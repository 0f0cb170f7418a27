pytest_plugins = ["mailing_sync_mock"]
