# The container image. It needs no more than the package: its user has a number and no name, and nothing but two folders can be written to.
{ pkgs, playroom, version }:
let
  user = "1000:1000";
  # Without the port's number in the image: PORT may be another one.
  alive = "fetch(`http://127.0.0.1:\${process.env.PORT || 3000}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))";
in
pkgs.dockerTools.buildLayeredImage {
  name = "playroom-booking";
  tag = version;
  contents = [ playroom ];
  fakeRootCommands = ''
    mkdir -p ./tmp ./var/lib/playroom
    chmod 1777 ./tmp
    chmod 700 ./var/lib/playroom
    chown ${user} ./var/lib/playroom
  '';
  config = {
    User = user;
    Entrypoint = [ "${playroom}/bin/playroom" ];
    Cmd = [ "serve" ];
    Env = [
      "NODE_ENV=production"
      "HOST=0.0.0.0"
      "DATA_DIR=/var/lib/playroom"
      "PATH=/bin"
      "HOME=/tmp"
    ];
    WorkingDir = "/var/lib/playroom";
    ExposedPorts."3000/tcp" = { };
    Volumes."/var/lib/playroom" = { };
    StopSignal = "SIGTERM";
    # Whether it answers, and not whether it is ready: a database that is away is no reason to start it anew. In nanoseconds.
    Healthcheck = {
      Test = [
        "CMD"
        "${pkgs.nodejs_24}/bin/node"
        "-e"
        alive
      ];
      Interval = 10 * 1000 * 1000 * 1000;
      Timeout = 5 * 1000 * 1000 * 1000;
      StartPeriod = 60 * 1000 * 1000 * 1000;
      Retries = 3;
    };
  };
}
