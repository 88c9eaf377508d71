/** The parts of `npm run release` that read text: no process, no file. */

/** Licences that a dependency of a site may have. */
const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'WTFPL',
])

/** Says what the changelog lacks for a version; null when its section is there and says something. */
export function missingNotes(changelog: string, version: string): string | null {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((text) => text.split('\n')[0]?.trim().split(' ')[0] === version)
  if (section === undefined) return `CHANGELOG.md has no section "## ${version}": write what is new in it.`
  const lines = section.split('\n').slice(1)
  return lines.some((line) => line.startsWith('- ')) ? null : `"## ${version}" in CHANGELOG.md lists nothing.`
}

/** The packages that a document tells its reader to install as this one: `npm install NAME` without a path, where the
 *  name holds the word "membership". */
export function packageNamesIn(document: string): string[] {
  const commands = document.matchAll(/\bnpm (?:i|install)((?: +[^\s`|]+)+)/g)
  return [...commands]
    .flatMap(([, names = '']) => names.trim().split(/ +/))
    .filter((name) => name.includes('membership') && !/[./]\w|\.tgz/.test(name.replace(/^@[^/]+\//, '')))
    .map((name) => name.replace(/(?<=.)@[^/]*$/, ''))
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly license?: string; readonly dev?: boolean }>>
}

/** The packages of a lock file that a site installs under a licence that is not permissive, or under none. */
export function unknownLicences({ packages }: Lock): { total: number; unknown: string[] } {
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true)
  const unknown = installed
    .filter(([, { license }]) => !isPermissive(license))
    .map(([path, { license }]) => `${path.replace(/^.*node_modules\//, '')}: ${license ?? 'none'}`)
  return { total: installed.length, unknown }
}

// An "OR" leaves the choice to whoever installs; an "AND" binds to all.
function isPermissive(license: string | undefined): boolean {
  if (license === undefined) return false
  const choices = license.replace(/^\(|\)$/g, '').split(' OR ')
  return choices.some((choice) => choice.split(' AND ').every((name) => permissive.has(name.trim())))
}

interface Sbom {
  readonly specVersion: string
  readonly components: readonly unknown[]
  readonly metadata: { readonly component: object }
}

/** npm names the package after its folder; the bill of materials names it as it is published. */
export function withoutMachineName(sbom: Sbom, { name, version }: { name: string; version: string }): Sbom {
  return { ...sbom, metadata: { ...sbom.metadata, component: { ...sbom.metadata.component, name, version } } }
}
