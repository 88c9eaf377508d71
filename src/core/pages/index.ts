import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'
import { printable } from '../dto/index.ts'

/** Renders a template by its name under `templates/`; output is escaped unless the template says otherwise. */
export type Render = (name: string, data: Record<string, unknown>) => string

/** The folder of this package that holds `templates/`, `blueprints/` and `config/`. */
export const packageFolder = fileURLToPath(new URL('../../..', import.meta.url))

// Much of what a page shows was written by strangers.
const toMarkup = new Eta().config.escapeFunction
const escaped = (value: unknown): string => toMarkup(printable(String(value)))

/** Templates of the site's own `templates/` folder first, then the package's. */
export const createRender = (siteFolder: string | null, cache: boolean): Render => {
  const own = siteFolder === null ? null : join(siteFolder, 'templates')
  const settings = { cache, autoEscape: true, escapeFunction: escaped }
  const shipped = new Eta({ ...settings, views: join(packageFolder, 'templates') })
  const site = own !== null && existsSync(own) ? new Eta({ ...settings, views: own }) : null
  return (name, data) =>
    (site && existsSync(join(own!, `${name}.eta`)) ? site : shipped).render(`./${name}`, data)
}
