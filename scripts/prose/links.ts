/** Links of Markdown pages: each leads to a file of the repository, and its anchor to a heading of that page. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TextlintRuleReporter } from '@textlint/types'

/** Fails a link to a file or a heading that is not there. Addresses of the web are not asked. */
export const deadLinks: TextlintRuleReporter = (context) => ({
  [context.Syntax.Link](node) {
    const problem = problemOf(context.getFilePath() ?? '', node.url)
    if (problem) context.report(node, new context.RuleError(problem))
  },
})

function problemOf(file: string, url: string): string | null {
  if (/^[a-z]+:/i.test(url)) return null
  const [path = '', anchor] = decodeURI(url).split('#')
  const target = path === '' ? file : join(dirname(file), path)
  if (!existsSync(target)) return `dead link: ${url}`
  if (!anchor || !target.endsWith('.md')) return null
  return anchorsOf(readFileSync(target, 'utf8')).has(anchor) ? null : `dead link, no such heading: ${url}`
}

/** The anchors of a page, as GitHub and VitePress make them. */
export function anchorsOf(page: string): Set<string> {
  const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  )
  const written = [...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
  return new Set([...headings, ...written])
}
