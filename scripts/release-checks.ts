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

/**
 * The packages that a document tells its reader to install as this one: `npm install NAME` without a path,
 * where the name holds the word "membership".
 */
export function packageNamesIn(document: string): string[] {
  const commands = document.matchAll(/\bnpm (?:i|install)((?: +[^\s`|]+)+)/g)
  return [...commands]
    .flatMap(([, names = '']) => names.trim().split(/ +/))
    .filter((name) => name.includes('membership') && !/[./]\w|\.tgz/.test(name.replace(/^@[^/]+\//, '')))
    .map((name) => name.replace(/(?<=.)@[^/]*$/, ''))
}

interface Lock {
  readonly packages: Readonly<Record<string, Locked>>
}
interface Locked {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
}

/** The packages of a lock file that a site installs under a licence that is not permissive, or under none. */
export function unknownLicences({ packages }: Lock): { total: number; unknown: string[] } {
  const installed = installedOf(packages)
  const unknown = installed
    .filter(([, { license }]) => !isPermissive(license))
    .map(([path, { license }]) => `${nameIn(path)}: ${license ?? 'none'}`)
  return { total: installed.length, unknown }
}

// An "OR" leaves the choice to whoever installs; an "AND" binds to all.
function isPermissive(license: string | undefined): boolean {
  if (license === undefined) return false
  const choices = license.replace(/^\(|\)$/g, '').split(' OR ')
  return choices.some((choice) => choice.split(' AND ').every((name) => permissive.has(name.trim())))
}

function installedOf(packages: Lock['packages']): [string, Locked][] {
  return Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true)
}

function nameIn(path: string): string {
  return path.replace(/^.*node_modules\//, '')
}

interface Sbom {
  readonly specVersion: string
  readonly components: readonly { readonly 'bom-ref': string }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
  readonly metadata: { readonly component: { readonly 'bom-ref': string } }
}

/**
 * The bill of materials of what a site installs: `npm sbom --omit dev` leaves out what a tool for development
 * needs, too, better-sqlite3 among it. npm names the package after its folder; here it is named as it is
 * published.
 */
export function siteSbom(
  sbom: Sbom,
  { packages }: Lock,
  { name, version }: { readonly name: string; readonly version: string },
): Sbom {
  const component = { ...sbom.metadata.component, name, version }
  const installed = new Set(
    installedOf(packages).map(([path, locked]) => `${nameIn(path)}@${locked.version}`),
  )
  const isKept = (ref: string): boolean => ref === component['bom-ref'] || installed.has(ref)
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component },
    components: sbom.components.filter((component) => isKept(component['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => isKept(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  }
}
