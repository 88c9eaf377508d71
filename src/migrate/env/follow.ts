import type { Edit } from '../edits.ts'
import type { Finding, Rewrite } from '../plan.ts'
import type { Source } from '../source.ts'
import type { Renames } from './renames.ts'

interface Mention extends Edit {
  readonly name: string
}

/**
 * Finds each place that names one of the variables as a whole word, with its new name, in compose files,
 * shell scripts and code alike.
 */
export function mentions(text: string, renames: Renames): Mention[] {
  return [...renames.keys()].some((name) => text.includes(name))
    ? [...text.matchAll(/[A-Za-z_]\w*/g)].flatMap(({ 0: name, index }) => {
        const next = renames.get(name)
        return next === undefined ? [] : [{ name, start: index, end: index + name.length, text: next }]
      })
    : []
}

/**
 * Renames variables in scripts, compose files and CI files. A name under which the service itself stores the
 * value stays, and is reported.
 */
export function rewriteScript({ text }: Source, renames: Renames): Rewrite {
  const edits: Edit[] = []
  const findings: Finding[] = []
  const renamed = new Set<string>()
  for (const { name, ...edit } of mentions(text, renames))
    if (keptByService.test(text.slice(Math.max(0, edit.start - 60), edit.start)))
      findings.push(keptName(name, edit.start))
    else {
      edits.push(edit)
      renamed.add(`${name} → ${edit.text}`)
    }
  return { edits, summary: [...renamed], findings }
}

// GitHub's `secrets.NAME` and `vars.NAME`, Kubernetes' `key: NAME` of a Secret or a ConfigMap.
const keptByService = /\b(?:secrets|vars)(?:\.|\[\s*['"])$|(?:^|[\n{,])[ \t-]*key:[ \t]*['"]?$/

function keptName(name: string, at: number): Finding {
  return {
    code: 'env-kept-by-service',
    at,
    reason: `The service keeps the value under the name ${name}, so this keeps it; the variable that is made of it has its new name.`,
    replacement: null,
  }
}

/** Adds renamed variables to a configuration's edits, also inside text that an edit moves. */
export function withRenames(source: Source, edits: readonly Edit[], renames: Renames): Edit[] {
  const found = mentions(source.text, renames)
  if (found.length === 0) return [...edits]
  const isInside = ({ start, end }: Edit) => edits.some((edit) => edit.start < end && edit.end > start)
  const moved = edits.map((edit) => ({
    ...edit,
    text: mentions(edit.text, renames).reduceRight(
      (whole, { start, end, text }) => whole.slice(0, start) + text + whole.slice(end),
      edit.text,
    ),
  }))
  const others = found.filter((mention) => !isInside(mention))
  return [...moved, ...others.map(({ start, end, text }) => ({ start, end, text }))]
}
