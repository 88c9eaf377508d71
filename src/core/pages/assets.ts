import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Middleware } from 'koa'
import { type BrandConfig, brandCss, type Palette, palettesOf } from '../brand.ts'
import { lazy } from '../lazy.ts'
import { packageFolder } from './index.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
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
export function pageBrand(brand: BrandConfig): PageBrand {
  const css = brandCss(brand)
  const { logo, stylesheet, fonts } = brand
  const file = css === null ? null : `brand.css?v=${versionOf(digestOf(css))}`
  return { file, stylesheet, logo, fonts, ...palettesOf(brand) }
}

function digestOf(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
}

interface Asset {
  readonly bytes: Buffer
  readonly type: string
  readonly digest: string
  /** The same for browsers that take gzip, made when the first one asks; null for fonts, which are compressed already. */
  readonly packed: (() => Buffer) | null
}

function toAsset(name: string, bytes: Buffer): Asset {
  return {
    bytes,
    type: types[extname(name)]!,
    digest: digestOf(bytes),
    packed: extname(name) === '.woff2' ? null : lazy(() => gzipSync(bytes)),
  }
}

/** The package's own files, read once. */
const shipped = lazy((): ReadonlyMap<string, Asset> => {
  const folder = join(packageFolder(), 'templates', 'assets')
  const names = readdirSync(folder).filter((name) => extname(name) in types)
  return new Map(names.map((name) => [name, toAsset(name, readFileSync(join(folder, name)))]))
})

function versionOf(digest: string): string {
  return digest.slice(0, 8)
}

/** Returns the name of one of the package's files with its version, as a page links to it. */
export function assetAddress(name: string): string {
  const known = shipped().get(name)
  return known === undefined ? name : `${name}?v=${versionOf(known.digest)}`
}

/**
 * Serves the style sheets, scripts and images of the package's pages below `prefix`, from memory and compressed. With a
 * brand it also serves `brand.css`. A browser keeps an address with the file's version for a year, any other for an hour.
 */
export function assets(prefix: string, brand: BrandConfig | null = null): Middleware {
  const css = brand === null ? null : brandCss(brand)
  const files = new Map([...shipped()].map(([name, asset]) => [`${prefix}/${name}`, asset]))
  if (css !== null) files.set(`${prefix}/brand.css`, toAsset('brand.css', Buffer.from(css)))
  return (ctx, next) => {
    const file = files.get(ctx.path)
    if (!file || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    const packed = ctx.acceptsEncodings('gzip', 'identity') === 'gzip' ? file.packed : null
    const isVersioned = ctx.query.v === versionOf(file.digest)
    ctx.set({
      ETag: `"${file.digest}${packed === null ? '' : '-gzip'}"`,
      'Cache-Control': isVersioned ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    })
    ctx.type = file.type
    ctx.status = 200
    if (ctx.fresh) ctx.status = 304
    else if (packed !== null) {
      ctx.set('Content-Encoding', 'gzip')
      ctx.body = packed()
    } else ctx.body = file.bytes
    return undefined
  }
}
