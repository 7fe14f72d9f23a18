# The settings of docs/settings.md that are no secrets, with their types; a test compares the names with those that the service reads.
types:
let
  addresses = types.listOf types.str;
  count = types.ints.positive;
in
{
  PORT = types.port;
  HOST = types.str;
  BASE_URL = types.str;
  NODE_ENV = types.enum [
    "production"
    "development"
  ];
  PAYMENT_PROVIDER = types.enum [
    "stripe"
    "sandbox"
  ];
  PAYMENT_LINK = types.enum [
    "provider"
    "own"
  ];
  SANDBOX_PORT = types.port;
  MAIL_FROM = types.str;
  ALLOWED_HOSTS = addresses;
  ALLOWED_ORIGINS = addresses;
  RETURN_URL_ORIGINS = addresses;
  TRUSTED_PROXIES = addresses;
  CONNECT = types.listOf (
    types.enum [
      "key"
      "guest"
    ]
  );
  CONNECT_SIGN_IN = types.enum [
    "needed"
    "first"
  ];
  PRIVACY_URL = types.str;
  TERMS_URL = types.str;
  SUPPORT_URL = types.str;
  OPENAI_APPS_CHALLENGE = types.str;
  WORKERS = types.ints.between 1 64;
  DRAIN_SECONDS = types.ints.between 0 300;
  HOLD_MINUTES = types.ints.between 1 1440;
  MAX_HOLDS_PER_KEY = count;
  MAX_HOLDS_PER_EMAIL = count;
  PERSONAL_DATA_DAYS = types.ints.between 120 36500;
  AUDIT_HOURS = types.ints.between 1 720;
  RATE_LIMIT_PER_MINUTE = count;
  RATE_LIMIT_KEY_PER_MINUTE = count;
  RATE_LIMIT_DISABLED = types.bool;
  OTEL_EXPORTER_OTLP_ENDPOINT = types.str;
  LOG_LEVEL = types.enum [
    "trace"
    "debug"
    "info"
    "warn"
    "error"
  ];
  LOG_FORMAT = types.enum [
    "json"
    "logfmt"
    "pretty"
  ];
  MANAGEMENT_PORT = types.port;
}
