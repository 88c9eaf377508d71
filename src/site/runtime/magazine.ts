import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { packageFolder } from '../../core/pages/index.ts'

const article = z.object({
  slug: z.string(),
  title: z.string(),
  summary: z.string(),
  author: z.string(),
  date: z.string(),
  minutes: z.number(),
  image: z.string().optional(),
  gates: z.array(z.string()),
  /** Trusted HTML. Everybody may read the part before `<!--more-->`. */
  body: z.string(),
})
const magazine = z.object({
  magazine: z.object({ name: z.string(), tagline: z.string() }),
  articles: z.array(article),
  issues: z.array(
    z.object({
      number: z.number(),
      season: z.string(),
      title: z.string(),
      summary: z.string(),
      /** Its opening pages, a paragraph each. */
      pages: z.array(z.string()),
    }),
  ),
})
export type Article = z.infer<typeof article>
export type Magazine = z.infer<typeof magazine>

/** Loads the texts of the demo magazine. */
export function loadMagazine(): Magazine {
  return magazine.parse(
    parse(readFileSync(join(packageFolder(), 'templates', 'content', 'articles.yml'), 'utf8')),
  )
}
