# What .ci/module.mjs looks at of a system's configuration.
config: {
  faults = map (check: check.message) (
    builtins.filter (check: !check.assertion) (
      if config.assertions == null then [ ] else config.assertions
    )
  );
  units = config.systemd.services;
  socket = config.systemd.sockets.playroom;
  inherit (config.services) postgresql;
  command =
    if config.environment.systemPackages == null then
      null
    else
      (builtins.head config.environment.systemPackages).text;
}
