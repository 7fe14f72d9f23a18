// Packages in folders of their own, and what programs need to find them there.
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { node, runWell } from "../../.ci/support.mjs"

/** Debian's packages and what they need, unpacked without being installed. */
const unpack = async (packages, folder) => {
  const plan = await runWell(["apt-get", "-s", "--no-install-recommends", "--reinstall", "install", ...packages])
  const needed = [...plan.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+)/gm)].map(
    ([, name, version]) => `${name}=${version}`
  )
  await runWell(["apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", ...needed], { cwd: folder })
  await runWell(["bash", "-c", 'for package in *.deb; do dpkg -x "$package" .; done; rm -f *.deb'], { cwd: folder })
}

/** The folder with such packages of npm's or Debian's; kept, since some are large. */
export const install = async ({ debian, npm }) => {
  const folder = join(tmpdir(), "playroom-readers", (npm ?? debian).join("+").replaceAll("/", "_"))
  if (!existsSync(join(folder, "installed"))) {
    mkdirSync(folder, { recursive: true })
    if (npm === undefined) await unpack(debian, folder)
    else {
      writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
      await runWell(["npm", "install", "--save-exact", "--no-audit", "--no-fund", "--loglevel=error", ...npm], {
        cwd: folder
      })
    }
    writeFileSync(join(folder, "installed"), "")
  }
  return folder
}

const libraries = "usr/lib/x86_64-linux-gnu"
export const environmentIn = (folder) => {
  const at = (...paths) => paths.map((path) => join(folder, path)).join(":")
  return {
    HOME: folder,
    LC_ALL: "C.UTF-8",
    PATH: `${dirname(node)}:${at("usr/bin")}:/usr/bin:/bin`,
    PYTHONPATH: at("usr/lib/python3/dist-packages"),
    PYTHONDONTWRITEBYTECODE: "1",
    LD_LIBRARY_PATH: at(libraries),
    GI_TYPELIB_PATH: at(`${libraries}/girepository-1.0`),
    PERL5LIB: at("usr/share/perl5", "usr/lib/x86_64-linux-gnu/perl5/5.36", "usr/share/perl/5.36"),
    PHP_INI_SCAN_DIR: "",
    PHPRC: folder
  }
}
