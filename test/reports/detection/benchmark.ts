import { pathToFileURL } from 'node:url'
import { detectAmong, type Fingerprint, scanPage } from '../../../src/reports/detection/index.ts'
import {
  collectionPages,
  corpusPages,
  fixturePages,
  halfOf,
  type LabelledPage,
  shippedFingerprints,
} from './fixtures.ts'

/** How well one system is told from the others. Without a page that runs it, the shares are null. */
export interface Score {
  readonly system: string
  readonly pages: number
  readonly right: number
  /** Files that were taken for the system and are not. */
  readonly wrong: readonly string[]
  /** Files that run the system and were not recognised, not even as probable. */
  readonly missed: readonly string[]
  /** Files that run the system and were found probable alone. */
  readonly probable: readonly string[]
  /** Files that were found probable and do not run the system. */
  readonly doubted: readonly string[]
  readonly precision: number | null
  /** Recognised for certain. */
  readonly recall: number | null
  /** Recognised for certain, or as probable. */
  readonly named: number | null
}

const shipped = [...shippedFingerprints().values()]

/** Precision and recall per system over labelled pages; by default all there are, the corpus among them if present. */
export function benchmark(
  pages: readonly LabelledPage[] = [...fixturePages(), ...(corpusPages() ?? [])],
): Score[] {
  const scans = pages.map(({ file, system, page }) => ({
    file,
    systems: (system ?? '').split('+'),
    scan: scanPage(page),
  }))
  const scoreOf = (fingerprint: Fingerprint): Score => {
    const { key } = fingerprint
    const forks = shipped.filter(({ forkOf }) => forkOf === key)
    const looked = scans.map(({ file, systems, scan }) => ({
      file,
      runs: systems.includes(key),
      certainty: detectAmong(scan, fingerprint, forks).wanted.certainty,
    }))
    const filesOf = (runs: boolean, certainty: string) =>
      looked.filter((page) => page.runs === runs && page.certainty === certainty).map(({ file }) => file)
    const [right, wrong, probable] = [
      filesOf(true, 'certain'),
      filesOf(false, 'certain'),
      filesOf(true, 'probable'),
    ]
    const running = looked.filter(({ runs }) => runs).length
    const shareOf = (part: number, all: number) => (all === 0 ? null : part / all)
    return {
      system: key,
      pages: running,
      right: right.length,
      wrong,
      probable,
      missed: filesOf(true, 'none'),
      doubted: filesOf(false, 'probable'),
      precision: shareOf(right.length, right.length + wrong.length),
      recall: shareOf(right.length, running),
      named: shareOf(right.length + probable.length, running),
    }
  }
  return [...shippedFingerprints().values()].map(scoreOf)
}

/** All systems together. */
export function totalOf(scores: readonly Score[]): Pick<Score, 'precision' | 'recall' | 'named'> {
  const sum = (of: (score: Score) => number) => scores.reduce((total, score) => total + of(score), 0)
  const [pages, right] = [sum((score) => score.pages), sum((score) => score.right)]
  return {
    precision: right / (right + sum(({ wrong }) => wrong.length)),
    recall: right / pages,
    named: (right + sum(({ probable }) => probable.length)) / pages,
  }
}

/** The scores as lines of a table. */
export function toTable(scores: readonly Score[]): string[] {
  const total = totalOf(scores)
  return [
    'system            pages  precision  recall  named  wrong, missed',
    ...scores.map(({ system, pages, precision, recall, named, wrong, missed, probable, doubted }) =>
      [
        system.padEnd(16),
        String(pages).padStart(6),
        toShare(precision).padStart(10),
        toShare(recall).padStart(7),
        toShare(named).padStart(6),
        ` ${[
          ...wrong.map((file) => `wrong: ${file}`),
          ...missed.map((file) => `missed: ${file}`),
          ...probable.map((file) => `probable: ${file}`),
          ...doubted.map((file) => `probable, but is not: ${file}`),
        ].join(', ')}`,
      ]
        .join(' ')
        .trimEnd(),
    ),
    `all together             ${toShare(total.precision).padStart(9)} ${toShare(total.recall).padStart(7)} ${toShare(total.named).padStart(6)}`,
  ]
}

function toShare(share: number | null): string {
  return share === null || Number.isNaN(share) ? '-' : share.toFixed(2)
}

// `--half unseen` runs the half of the real pages that no rule was written after; `--pages FOLDER LABELS` runs another
// collection.
if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const after = (flag: string) => process.argv.slice(process.argv.indexOf(flag) + 1)
  const has = (flag: string) => process.argv.includes(flag)
  const [folder = '', labels = ''] = has('--pages') ? after('--pages') : []
  const pages = folder ? collectionPages(folder, labels) : has('--half') ? (corpusPages() ?? []) : undefined
  const [half] = has('--half') ? after('--half') : []
  const chosen = pages && (half === 'seen' || half === 'unseen') ? halfOf(pages, half) : pages
  const scores = benchmark(chosen)
  const isAll = chosen === undefined
  console.log(
    toTable(
      isAll ? scores : scores.filter(({ pages: n, wrong, doubted }) => n + wrong.length + doubted.length > 0),
    ).join('\n'),
  )
}
