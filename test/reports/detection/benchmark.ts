import { pathToFileURL } from 'node:url'
import { detect, type Fingerprint, scanPage } from '../../../src/reports/detection/index.ts'
import { corpusPages, fixturePages, type LabelledPage, shippedFingerprints } from './fixtures.ts'

/** How well one system is told from the others. Without a page that runs it, both shares are null. */
export interface Score {
  readonly system: string
  readonly pages: number
  readonly right: number
  /** Files that were taken for the system and are not. */
  readonly wrong: readonly string[]
  /** Files that run the system and were not recognised. */
  readonly missed: readonly string[]
  readonly precision: number | null
  readonly recall: number | null
}

/** Precision and recall per system over labelled pages; by default all there are, the corpus among them if present. */
export const benchmark = (
  pages: readonly LabelledPage[] = [...fixturePages(), ...(corpusPages() ?? [])],
): Score[] => {
  const scans = pages.map(({ file, system, page }) => ({ file, system, scan: scanPage(page) }))
  const scoreOf = (fingerprint: Fingerprint): Score => {
    const { key } = fingerprint
    const found = scans.filter(({ scan }) => detect(scan, fingerprint).detected)
    const right = found.filter(({ system }) => system === key)
    const running = scans.filter(({ system }) => system === key)
    return {
      system: key,
      pages: running.length,
      right: right.length,
      wrong: found.filter((one) => !right.includes(one)).map(({ file }) => file),
      missed: running.filter((one) => !right.includes(one)).map(({ file }) => file),
      precision: found.length === 0 ? null : right.length / found.length,
      recall: running.length === 0 ? null : right.length / running.length,
    }
  }
  return [...shippedFingerprints().values()].map(scoreOf)
}

/** The scores as lines of a table. */
export const toTable = (scores: readonly Score[]): string[] => [
  'system       pages  precision  recall  wrong, missed',
  ...scores.map(({ system, pages, precision, recall, wrong, missed }) =>
    [
      system.padEnd(11),
      String(pages).padStart(6),
      toShare(precision).padStart(10),
      toShare(recall).padStart(7),
      ` ${[...wrong.map((file) => `wrong: ${file}`), ...missed.map((file) => `missed: ${file}`)].join(', ')}`,
    ]
      .join(' ')
      .trimEnd(),
  ),
]

const toShare = (share: number | null): string => (share === null ? '-' : share.toFixed(2))

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(toTable(benchmark()).join('\n'))
