/** The look of a site: logo, colours and fonts of its pages, mails and office. */

/** Colours that a site may set, each as `#rrggbb`; null means the package's own. */
export interface BrandColors {
  readonly accent: string | null
  readonly background: string | null
  readonly surface: string | null
  readonly text: string | null
}

/** The section `membership.brand` of the configuration. */
export interface BrandConfig {
  readonly logo: string | null
  readonly stylesheet: string | null
  readonly colors: BrandColors
  readonly dark: BrandColors
  readonly fonts: {
    readonly text: string | null
    readonly headings: string | null
    readonly interface: string | null
  }
}

/** Every colour of one scheme, as `#rrggbb`. */
export interface Palette {
  readonly accent: string
  /** The accent under the pointer. */
  readonly strong: string
  /** Text on the accent: black or white, whichever reads better. */
  readonly onAccent: string
  readonly background: string
  readonly surface: string
  readonly text: string
  readonly muted: string
  readonly rule: string
  readonly edge: string
  /** Background of highlighted parts. */
  readonly tint: string
}

/** The package's own colours, as in templates/assets/site.css. */
const own: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    accent: '#a11460',
    strong: '#7f0d4a',
    onAccent: '#ffffff',
    background: '#f5f8f8',
    surface: '#ffffff',
    text: '#11212c',
    muted: '#4b5e69',
    rule: '#c2d0d4',
    edge: '#6c7f89',
    tint: '#dfecee',
  },
  dark: {
    accent: '#ff8cc4',
    strong: '#ffb3d8',
    onAccent: '#2b0318',
    background: '#0c161e',
    surface: '#122029',
    text: '#e6eef0',
    muted: '#a0b2bb',
    rule: '#2a3b46',
    edge: '#6f8591',
    tint: '#152a36',
  },
}

/** The contrast that WCAG 2.2 asks of text: https://www.w3.org/TR/WCAG22/#contrast-minimum */
export const leastContrast = 4.5

/** Both schemes of a site. A dark accent that the site does not set is the light one, lighter until it can be read. */
export function palettesOf(brand: Pick<BrandConfig, 'colors' | 'dark'>): Record<'light' | 'dark', Palette> {
  const dark = paletteOf(brand.dark, own.dark)
  const isInherited = brand.dark.accent === null && brand.colors.accent !== null
  return {
    light: paletteOf(brand.colors, own.light),
    dark: isInherited
      ? paletteOf({ ...brand.dark, accent: readableOn(brand.colors.accent, dark.background) }, own.dark)
      : dark,
  }
}

function paletteOf(colors: BrandColors, standard: Palette): Palette {
  const text = colors.text ?? standard.text
  const background = colors.background ?? standard.background
  const surface = colors.surface ?? (colors.background === null ? standard.surface : background)
  const isRecoloured = colors.text !== null || colors.background !== null || colors.surface !== null
  const neutral = isRecoloured
    ? {
        muted: readableOn(mixed(text, background, 0.3), background),
        rule: mixed(text, background, 0.8),
        edge: mixed(text, background, 0.45),
        tint: mixed(text, background, 0.92),
      }
    : { muted: standard.muted, rule: standard.rule, edge: standard.edge, tint: standard.tint }
  if (colors.accent === null) return { ...standard, text, background, surface, ...neutral }
  const isLightText = contrast(white, colors.accent) >= contrast(black, colors.accent)
  return {
    accent: colors.accent,
    strong: mixed(colors.accent, isLightText ? black : white, 0.22),
    onAccent: isLightText ? white : black,
    text,
    background,
    surface,
    ...neutral,
  }
}

const white = '#ffffff'
const black = '#000000'

type Rgb = readonly [red: number, green: number, blue: number]

function rgbOf(color: string): Rgb {
  const channel = (at: number): number => Number.parseInt(color.slice(at, at + 2), 16)
  return [channel(1), channel(3), channel(5)]
}

/** `share` of the second colour in the first one. */
function mixed(color: string, other: string, share: number): string {
  const [from, to] = [rgbOf(color), rgbOf(other)]
  const channels = from.map((value, index) => Math.round(value + ((to[index] ?? 0) - value) * share))
  return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** Relative luminance: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = rgbOf(color).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast ratio of two colours, from 1 to 21: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

/** The colour itself if it can be read on the background, else the nearest mix with black or white that can. */
export function readableOn(color: string, background: string): string {
  const end = contrast(white, background) >= contrast(black, background) ? white : black
  for (let share = 0; share < 1; share += 0.02) {
    const candidate = mixed(color, end, share)
    if (contrast(candidate, background) >= leastContrast) return candidate
  }
  return end
}

/** Returns the style sheet that puts the brand over templates/assets/site.css; null if nothing is set. */
export function brandCss(brand: BrandConfig): string | null {
  const { light, dark } = palettesOf(brand)
  const isColoured = [...Object.values(brand.colors), ...Object.values(brand.dark)].some(
    (color) => color !== null,
  )
  const { text, headings, interface: labels } = brand.fonts
  const rules = [
    ...(isColoured
      ? [`:root{${variablesOf(light)}}`, `@media (prefers-color-scheme: dark){:root{${variablesOf(dark)}}}`]
      : []),
    ...(text === null ? [] : [`:root{--serif:${text};--sans:${labels ?? text}}`]),
    ...(text === null && labels !== null ? [`:root{--sans:${labels}}`] : []),
    ...(headings === null ? [] : [`h1,h2,h3,.wordmark,.o-mark b{font-family:${headings}}`]),
    ...(brand.logo === null
      ? []
      : ['.wordmark img,.o-mark img{display:inline-block;max-height:2.6rem;width:auto}']),
  ]
  return rules.length === 0 ? null : `${rules.join('\n')}\n`
}

function variablesOf(palette: Palette): string {
  return [
    ['accent', palette.accent],
    ['accent-strong', palette.strong],
    ['on-accent', palette.onAccent],
    ['paper', palette.background],
    ['raised', palette.surface],
    ['ink', palette.text],
    ['muted', palette.muted],
    ['rule', palette.rule],
    ['edge', palette.edge],
    ['water', palette.tint],
  ]
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}
