# What .ci/module.mjs looks at of a system's configuration.
config: {
  faults = map (check: check.message) (
    builtins.filter (check: !check.assertion) (
      if config.assertions == null then [ ] else config.assertions
    )
  );
  unit = config.systemd.services.playroom;
  inherit (config.services) postgresql;
  command =
    if config.environment.systemPackages == null then
      null
    else
      (builtins.head config.environment.systemPackages).text;
}
