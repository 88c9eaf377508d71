import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { printable } from '../dto/index.ts'
import { packageFolder } from '../package-folder.ts'
import { Markup, plainVoice } from '../words/index.ts'
import { pagesOf } from './paths.ts'

export { ownPaths, type PagePaths, pagesOf } from './paths.ts'
export { packageFolder }

/**
 * Renders a template by its name under `templates/`. Output is escaped unless the template marks it otherwise. Texts
 * come from the voice in its data; the default is English.
 */
export type Render = (name: string, data: Record<string, unknown>) => string

// Much of a page's content comes from strangers.
const toMarkup = new Eta().config.escapeFunction
function escaped(value: unknown): string {
  return value instanceof Markup ? value.html : toMarkup(printable(String(value)))
}

// Used where the page gives no paths.
const elsewhere = pagesOf()

/** Creates the renderer. The site's own `templates/` folder overrides the package's. */
export function createRender(siteFolder: string | null, cache: boolean): Render {
  const own = siteFolder === null ? null : join(siteFolder, 'templates')
  const settings = { cache, autoEscape: true, escapeFunction: escaped }
  const shipped = new Eta({ ...settings, views: join(packageFolder(), 'templates') })
  const site = own !== null && existsSync(own) ? new Eta({ ...settings, views: own }) : null
  return (name, data) =>
    (site && existsSync(join(own!, `${name}.eta`)) ? site : shipped).render(`./${name}`, {
      ...plainVoice(),
      pages: elsewhere,
      ...data,
    })
}
