# The settings of docs/settings.md that are no secrets, with their types; test/platform/config/AppConfig.test.ts writes this file from src/platform/config/Variables.ts.
types: {
  PORT = types.ints.between 1 65535;
  HOST = types.str;
  BASE_URL = types.str;
  NODE_ENV = types.enum [ "production" "development" "test" ];
  TIME_ZONE_DATA = types.str;
  PAYMENT_PROVIDER = types.enum [ "stripe" "sandbox" ];
  SANDBOX_PORT = types.ints.between 0 65535;
  ALLOWED_HOSTS = types.listOf types.str;
  ALLOWED_ORIGINS = types.listOf types.str;
  RETURN_URL_ORIGINS = types.listOf types.str;
  TRUSTED_PROXIES = types.listOf types.str;
  PAYMENT_LINK = types.enum [ "provider" "own" ];
  MAIL_FROM = types.str;
  CONNECT = types.listOf (types.enum [ "key" "guest" ]);
  CONNECT_SIGN_IN = types.enum [ "needed" "first" ];
  PRIVACY_URL = types.str;
  TERMS_URL = types.str;
  SUPPORT_URL = types.str;
  OPENAI_APPS_CHALLENGE = types.str;
  DRAIN_SECONDS = types.ints.between 0 300;
  HOLD_MINUTES = types.ints.between 1 1440;
  MAX_HOLDS_PER_KEY = types.ints.between 1 1000000;
  MAX_HOLDS_PER_EMAIL = types.ints.between 1 1000000;
  PERSONAL_DATA_DAYS = types.ints.between 120 36500;
  AUDIT_HOURS = types.ints.between 1 720;
  RATE_LIMIT_PER_MINUTE = types.ints.between 1 1000000;
  RATE_LIMIT_KEY_PER_MINUTE = types.ints.between 1 1000000;
  RATE_LIMIT_DISABLED = types.bool;
  LOG_LEVEL = types.enum [ "trace" "debug" "info" "warn" "error" ];
  LOG_FORMAT = types.enum [ "pretty" "json" "logfmt" ];
  OTEL_EXPORTER_OTLP_ENDPOINT = types.str;
  MANAGEMENT_PORT = types.ints.between 1 65535;
}
