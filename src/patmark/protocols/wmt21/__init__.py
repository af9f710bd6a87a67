"""WMT 2021: the MQM annotations of TED talks from Chinese into English, and metrics beside them."""
