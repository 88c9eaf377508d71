import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type FetchedPage, loadFingerprints } from '../../../src/reports/detection/index.ts'

/** A page whose system is known; null: none of those that have a fingerprint. */
export interface LabelledPage {
  readonly file: string
  readonly system: string | null
  readonly page: FetchedPage
}

const root = join(import.meta.dirname, '../../..')

export const fingerprintFolder = join(root, 'config/fingerprints')

export function shippedFingerprints() {
  return loadFingerprints([fingerprintFolder])
}

const siteFolder = join(root, 'test/fixtures/sites')

interface Label {
  file: string
  system: string | null
  url: string
  headers?: Record<string, string | string[]>
}

/** The pages written by hand after what the systems' documentation says they emit. */
export function fixturePages(): LabelledPage[] {
  return [...longPages(), ...shortPages()]
}

/** Pages of one screen, many in a file. */
function shortPages(): LabelledPage[] {
  const pages = parse(readFileSync(join(siteFolder, 'systems.yml'), 'utf8')) as (Label & { html: string })[]
  return pages.map(({ file, system, url, headers = {}, html }) => ({
    file,
    system,
    page: { url, headers, html },
  }))
}

function longPages(): LabelledPage[] {
  return (JSON.parse(readFileSync(join(siteFolder, 'labels.json'), 'utf8')) as Label[]).map(
    ({ file, system, url, headers = {} }) => ({
      file,
      system,
      page: { url, headers, html: readFileSync(join(siteFolder, file), 'utf8') },
    }),
  )
}

const corpusFolder = join(import.meta.dirname, '../../../../shared/corpora/sites')

export interface CorpusPage extends LabelledPage {
  readonly expected: Readonly<Record<'title' | 'description' | 'lang', string | null>> | null
}

// The index knows a system by its generator alone. These hide it, and show it otherwise.
const hidden = new Map([
  ['arstechnica.head.html', 'wordpress'], // body_class() and wp-content, on a CDN of another domain
  ['crn.head.html', 'drupal'], // sites/default/files and body classes of version 7
  ['hola.head.html', 'next'], // _next/static
  ['the-verge.head.html', 'next'], // _next/static
  ['silicon-beat.head.html', 'wordpress'], // the theme prints its own generator; wp-content, xmlrpc.php?rsd
])

/**
 * Pages of another collection: HTML files of a folder, and a JSON file that says which system each of them
 * runs. A system may be several, such as `nuxt+contentful`.
 */
export function collectionPages(folder: string, labels: string): LabelledPage[] {
  const systems = JSON.parse(readFileSync(labels, 'utf8')) as Record<string, string | null>
  return Object.entries(systems).map(([file, system]) => {
    const html = readFileSync(join(folder, `${file}.html`), 'utf8')
    const address =
      /<(?:link[^>]*rel="canonical"[^>]*href|meta[^>]*property="og:url"[^>]*content)="(https?:[^"]+)"/i.exec(
        html,
      )
    return { file, system, page: { url: address?.[1] ?? 'https://unknown.example/', headers: {}, html } }
  })
}

/**
 * The half of a collection that a page belongs to, decided by the hash of its name before anybody looked:
 * ranks alternate. Rules are written after the seen half alone.
 */
export function halfOf<P extends { readonly file: string }>(
  pages: readonly P[],
  half: 'seen' | 'unseen',
): P[] {
  const hashOf = ({ file }: P) => createHash('sha256').update(file).digest('hex')
  return [...pages]
    .sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1))
    .filter((_, rank) => rank % 2 === (half === 'seen' ? 0 : 1))
}

/** Heads of real pages beside the project; null without the folder. Systems without a fingerprint count as none. */
export function corpusPages(): CorpusPage[] | null {
  const index = join(corpusFolder, 'INDEX.tsv')
  if (!existsSync(index)) return null
  const known = shippedFingerprints()
  return readFileSync(index, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [file = '', url = '', byGenerator = ''] = line.split('\t')
      const system = hidden.get(file) ?? byGenerator
      const name = file.replace('.head.html', '')
      const about = JSON.parse(readFileSync(join(corpusFolder, `${name}.json`), 'utf8'))
      return {
        file,
        system: known.has(system) ? system : null,
        page: {
          url: url === '-' ? `https://${name}/` : url,
          headers: {},
          html: readFileSync(join(corpusFolder, file), 'utf8'),
        },
        expected: about.expected_metadata ?? null,
      }
    })
}
