import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Middleware } from 'koa'
import { type BrandConfig, brandCss, type Palette, palettesOf } from '../brand.ts'
import { packageFolder } from './index.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Colours, fonts and logo of the site, as templates use them. */
export interface PageBrand {
  /** File below the assets, with its version; null if the package's own colours and fonts are used. */
  readonly file: string | null
  readonly stylesheet: string | null
  readonly logo: string | null
  readonly light: Palette
  readonly dark: Palette
  readonly fonts: BrandConfig['fonts']
}

/** Returns the look for templates. Mails carry its colours in their styles, pages load them as a file. */
export const pageBrand = (brand: BrandConfig): PageBrand => {
  const css = brandCss(brand)
  const { logo, stylesheet, fonts } = brand
  const file = css === null ? null : `brand.css?v=${digestOf(css).slice(0, 8)}`
  return { file, stylesheet, logo, fonts, ...palettesOf(brand) }
}

const digestOf = (bytes: Buffer | string): string =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, 16)

/** Serves the style sheets, scripts and images of the package's pages below `prefix`, from memory. With a brand it also
 *  serves `brand.css`. */
export const assets = (prefix: string, brand: BrandConfig | null = null): Middleware => {
  const folder = join(packageFolder(), 'templates', 'assets')
  const css = brand === null ? null : brandCss(brand)
  const contents = [
    ...readdirSync(folder)
      .filter((name) => extname(name) in types)
      .map((name) => [name, readFileSync(join(folder, name))] as const),
    ...(css === null ? [] : [['brand.css', Buffer.from(css)] as const]),
  ]
  const files = new Map(
    contents.map(([name, bytes]) => [
      `${prefix}/${name}`,
      { bytes, type: types[extname(name)]!, etag: `"${digestOf(bytes)}"` },
    ]),
  )
  return (ctx, next) => {
    const file = files.get(ctx.path)
    if (!file || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    ctx.set({ ETag: file.etag, 'Cache-Control': 'public, max-age=3600', 'X-Content-Type-Options': 'nosniff' })
    ctx.type = file.type
    ctx.status = 200
    if (ctx.fresh) ctx.status = 304
    else ctx.body = file.bytes
    return undefined
  }
}
