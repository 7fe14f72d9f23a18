# What nix/module.nix uses of nixpkgs' `lib`, and a `nixosSystem` that has of NixOS only how modules become one configuration: declared
# options are checked by their types, everything else is kept as it was written. A value that no module gives is null.
packagesFor:
let
  inherit (builtins)
    all
    any
    attrNames
    concatLists
    concatMap
    concatStringsSep
    elem
    filter
    foldl'
    head
    isAttrs
    isBool
    isFunction
    isInt
    isList
    isString
    length
    listToAttrs
    mapAttrs
    ;

  type = name: check: { inherit name check; };
  types = rec {
    str = type "str" isString;
    bool = type "bool" isBool;
    package = type "package" (value: isAttrs value && value.type or "" == "derivation");
    enum = values: type "one of ${concatStringsSep ", " values}" (value: elem value values);
    nullOr = other: type "null or ${other.name}" (value: value == null || other.check value);
    listOf = other: type "list of ${other.name}" (value: isList value && all other.check value);
    ints.between =
      low: high:
      type "from ${toString low} to ${toString high}" (value: isInt value && value >= low && value <= high);
    ints.positive = type "positive" (value: isInt value && value > 0);
    port = ints.between 0 65535;
  };

  mkOption = option: option // { _type = "option"; };
  isOption = node: node._type or "" == "option";
  isSet = value: isAttrs value && value.type or "" != "derivation";

  # A condition moves inwards unread: what it reads may come from beside what it guards.
  unwrap =
    def:
    if isAttrs def.value && def.value._type or "" == "if" then
      unwrap {
        when = def.when && def.value.condition;
        value = def.value.content;
      }
    else
      def;

  merge =
    path: options: given:
    let
      name = concatStringsSep "." path;
      defs = map unwrap given;
      values = map (def: def.value) (filter (def: def.when) defs);
      one =
        if any (value: value != head values) values then throw "${name} has several values" else head values;
      names = foldl' (found: new: if elem new found then found else found ++ [ new ]) [ ] (
        attrNames options ++ concatMap (def: attrNames def.value) defs
      );
      strict = options != { } && length path >= 2;
    in
    if isOption options then
      let
        value =
          if values != [ ] then one else options.default or (throw "${name} is used and has no value");
      in
      if options.type.check value then value else throw "${name} is not of type ${options.type.name}"
    else if options != { } || (defs != [ ] && all (def: isSet def.value) defs) then
      listToAttrs (
        map (key: {
          name = key;
          value =
            if strict && !(options ? ${key}) then
              throw "The option ${name}.${key} does not exist"
            else
              merge (path ++ [ key ]) (options.${key} or { }) (
                concatMap (
                  def:
                  if def.value ? ${key} then
                    [
                      {
                        inherit (def) when;
                        value = def.value.${key};
                      }
                    ]
                  else
                    [ ]
                ) defs
              );
        }) names
      )
    else if values == [ ] then
      null
    else if all isList values then
      concatLists values
    else
      one;

  both =
    left: right:
    left
    // mapAttrs (
      name: value: if left ? ${name} && isSet value && !isOption value then both left.${name} value else value
    ) right;

  lib = {
    inherit mkOption types concatStringsSep mapAttrs;
    mkEnableOption =
      description:
      mkOption {
        type = types.bool;
        default = false;
        inherit description;
      };
    mkIf = condition: content: {
      _type = "if";
      inherit condition content;
    };
    optional = condition: value: if condition then [ value ] else [ ];
    optionalAttrs = condition: attributes: if condition then attributes else { };
    mapAttrsToList = make: attributes: map (name: make name attributes.${name}) (attrNames attributes);
    mapAttrs' = make: attributes: listToAttrs (lib.mapAttrsToList make attributes);
    nameValuePair = name: value: { inherit name value; };
    filterAttrs =
      keep: attributes:
      removeAttrs attributes (filter (name: !keep name attributes.${name}) (attrNames attributes));
    genAttrs = names: make: listToAttrs (map (name: lib.nameValuePair name (make name)) names);
    range = from: to: builtins.genList (n: from + n) (to - from + 1);
    boolToString = value: if value then "true" else "false";
    replaceStrings = builtins.replaceStrings;
    escapeShellArg = text: "'${builtins.replaceStrings [ "'" ] [ "'\\''" ] (toString text)}'";

    nixosSystem =
      { system, modules }:
      let
        parts =
          module:
          let
            made =
              if isFunction module then
                module {
                  inherit config lib;
                  pkgs = packagesFor system;
                }
              else
                module;
          in
          if made ? config || made ? options then made else { config = made; };
        base.services.postgresql.settings.port = 5432;
        found = map parts ([ base ] ++ modules);
        config = merge [ ] (foldl' both { } (map (part: part.options or { }) found)) (
          map (part: {
            when = true;
            value = part.config or { };
          }) found
        );
      in
      {
        inherit config;
      };
  };
in
lib
