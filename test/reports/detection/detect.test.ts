import test from 'ava'
import {
  type Channel,
  type CompiledRule,
  detect,
  detectAmong,
  type Fingerprint,
  type Scan,
  scanPage,
} from '../../../src/reports/detection/index.ts'
import { shippedFingerprints } from './fixtures.ts'

// Plain rules, so that what is tested is the counting.
function rule(channel: Channel, text: string, weight: number, version: string | null = null): CompiledRule {
  return {
    channel,
    pattern: text,
    weight,
    version: version !== null,
    match: (sign) => (sign.includes(text) ? { text: sign, version } : null),
  }
}

function acme(...rules: CompiledRule[]): Fingerprint {
  return {
    key: 'acme',
    name: 'Acme',
    kind: 'cms',
    forkOf: null,
    sources: [],
    rules,
  }
}

function page(html: string, headers: Record<string, string> = {}): Scan {
  return scanPage({ url: 'https://example.com/', headers, html })
}

const rich = page(
  '<meta name="generator" content="acme"><img src="/acme/1.png"><script src="/acme/a.js"></script>',
  {
    'x-powered-by': 'acme',
  },
)

test('100 points on one channel are enough', (t) => {
  const { detected, score, summary } = detect(
    rich,
    acme(rule('asset', '/acme/', 60), rule('asset', '.png', 40), rule('meta', 'other', 80)),
  )
  t.true(detected)
  t.is(score, 100)
  t.is(summary, '100 of 100: asset path; no generator')
})

test('60 points on one channel are not, and the summary says what is missing', (t) => {
  const { detected, score, summary, channels } = detect(
    rich,
    acme(rule('meta', 'other', 80), rule('asset', '/acme/', 60)),
  )
  t.false(detected)
  t.is(score, 60)
  t.is(summary, '60 of 100: asset path; no generator')
  t.deepEqual(channels, ['meta', 'asset'])
})

test('two channels are enough, whatever the points', (t) => {
  const { detected, score } = detect(rich, acme(rule('asset', '/acme/', 20), rule('header', 'acme', 20)))
  t.true(detected)
  t.is(score, 40)
})

test('a rule below 20 points adds up but is not independent', (t) => {
  const weak = rule('header', 'acme', 19)
  t.false(detect(rich, acme(rule('asset', '/acme/', 80), weak)).detected)
  t.true(detect(rich, acme(rule('asset', '/acme/', 81), weak)).detected)
})

test('a script that also matches as a file is one sign', (t) => {
  t.false(detect(rich, acme(rule('asset', 'a.js', 45), rule('script', 'a.js', 45))).detected)
  t.true(detect(rich, acme(rule('asset', '1.png', 45), rule('script', 'a.js', 45))).detected)
})

test('a rule counts once, however often it matches; points end at 100', (t) => {
  const often = page('<img src="/acme/1.png"><img src="/acme/2.png"><img src="/acme/3.png">')
  const once = detect(often, acme(rule('asset', '/acme/', 40)))
  t.is(once.score, 40)
  t.deepEqual(once.evidence, [{ channel: 'asset', rule: '/acme/', matched: '/acme/1.png', weight: 40 }])
  t.is(detect(often, acme(rule('asset', '/acme/', 90), rule('asset', 'png', 90))).score, 100)
})

test('an empty result is summarised too', (t) => {
  const { score, summary, evidence, version } = detect(page(''), acme(rule('asset', '/acme/', 60)))
  t.is(score, 0)
  t.is(summary, '0 of 100: no asset path')
  t.deepEqual(evidence, [])
  t.is(version, null)
})

test('a probe is mentioned only after probing', (t) => {
  const fingerprint = acme(rule('asset', '/acme/', 60), rule('probe', 'acme', 60))
  t.deepEqual(detect(rich, fingerprint).channels, ['asset'])
  const probed = { ...rich, signs: { ...rich.signs, probe: ['/acme/login=200'] } }
  t.true(detect(probed, fingerprint).detected)
})

test('matched text is kept up to 200 characters, a version up to 50', (t) => {
  const long = page(`<meta name="generator" content="acme ${'9'.repeat(400)}\u0007">`)
  const { evidence, version } = detect(long, acme(rule('meta', 'acme', 90, '9'.repeat(400))))
  t.is(evidence[0]?.matched.length, 200)
  t.is(version, '9'.repeat(50))
})

test('the version is that of the first rule with one', (t) => {
  const fingerprint = acme(
    rule('asset', '/acme/', 60),
    rule('meta', 'acme', 60, '2.1'),
    rule('header', 'acme', 20, '2'),
  )
  t.is(detect(rich, fingerprint).version, '2.1')
})

test('a sign with a version is preferred to an earlier one without', (t) => {
  const wordpress = shippedFingerprints().get('wordpress')!
  const twice = page('<meta name=generator content="WordPress"><meta name=generator content="WordPress 6.5">')
  t.is(detect(twice, wordpress).version, '6.5')
})

test('the wanted system comes first, and alone if it is present', (t) => {
  const all = shippedFingerprints()
  const kirby = page(
    '<img src="/media/pages/home/0a1b2c3d4e-1700000000/x.jpg"><meta name=generator content="Hugo 0.1">',
  )
  const { wanted, other } = detectAmong(kirby, all.get('kirby')!, all.values())
  t.true(wanted.detected)
  t.is(other, null)
})

test('a site with another system names it', (t) => {
  const all = shippedFingerprints()
  const html =
    '<meta name="generator" content="WordPress 6.5"><link rel="stylesheet" href="/wp-content/themes/x/s.css">'
  const { wanted, other } = detectAmong(page(html), all.get('kirby')!, all.values())
  t.false(wanted.detected)
  t.is(wanted.summary, '0 of 100: no cookie, no generator, no asset path')
  t.is(other?.name, 'WordPress')
  t.is(other?.version, '6.5')
})

test('of several others the one with the most points is named, of none nothing', (t) => {
  const all = shippedFingerprints()
  const html =
    '<link rel=stylesheet href="/_astro/a.css"><b data-astro-cid-abcdefgh></b><img src="/uploads/small_x_0123456789.png">'
  const strapi = page(html, { 'x-powered-by': 'Strapi <strapi.io>' })
  const weaker: Fingerprint = { ...acme(rule('asset', 'a.css', 30), rule('dom', '<b', 30)), key: 'weaker' }
  const { other } = detectAmong(strapi, all.get('kirby')!, [weaker, all.get('strapi')!])
  t.is(other?.system, 'strapi')
  t.is(detectAmong(page('<p>'), all.get('kirby')!, all.values()).other, null)
  // The wanted one among the others is not asked twice.
  t.is(detectAmong(page('<p>'), all.get('kirby')!, [all.get('kirby')!]).other, null)
})

test('another site’s file proves nothing by itself, the site’s own does', (t) => {
  const wordpress = shippedFingerprints().get('wordpress')!
  const files = (host: string) =>
    page(
      `<link rel=stylesheet href="${host}/wp-content/themes/x/a.css"><script src="${host}/wp-includes/js/b.js"></script>`,
    )
  t.false(detect(files('https://other.example'), wordpress).detected)
  t.true(detect(files('https://static.example.com'), wordpress).detected)
})

test('signs are matched case-insensitively', (t) => {
  const kirby = shippedFingerprints().get('kirby')!
  t.is(detect(page('<meta name="GENERATOR" content="KIRBY CMS 4.2">'), kirby).version, '4.2')
  t.is(detect(page('<meta name="generator" content="Kirbyesque">'), kirby).score, 0)
})

test('a page of near misses is answered in time', (t) => {
  const miss = Array.from({ length: 900 }, (_, n) => {
    const words = `wp-block-library wp-comments-post.php data-ghost= kg-card gh- data-drupal- strapi astro- kirby tideline ${n}`
    return `<img class="${words} ${'a '.repeat(200)}" src="/media/pages/${'0/'.repeat(200)}${n}/wp-content/wp-includes/_hu">`
  })
  const scan = page(miss.join(''))
  for (const fingerprint of shippedFingerprints().values()) t.false(detect(scan, fingerprint).detected)
})

test('another system’s page with one of the wanted system’s pictures is not detected as wanted', (t) => {
  const borrowed = '<img src="/media/pages/home/0a1b2c3d4e-1700000000/cover.jpg">'
  const press =
    '<meta name="generator" content="WordPress 6.5"><link rel="https://api.w.org/" href="/wp-json/">' +
    '<script src="/wp-includes/js/jquery/jquery.min.js"></script><link rel="stylesheet" href="/wp-content/themes/x/style.css">'
  const all = shippedFingerprints()
  const kirby = all.get('kirby')!
  const among = detectAmong(page(press + borrowed), kirby, all.values())
  t.false(among.wanted.detected)
  t.is(among.other?.name, 'WordPress')
  t.regex(among.wanted.summary, /outweighed by the signs of WordPress/)
  t.true(detectAmong(page(borrowed), kirby, all.values()).wanted.detected)
  // A front end may show what the wanted system manages.
  const astro = `<meta name="generator" content="Astro v5.0"><script src="/_astro/a.js"></script>${borrowed}`
  t.true(detectAmong(page(astro), kirby, all.values()).wanted.detected)
})

test('once the result is certain only the version is still searched', (t) => {
  const asked: string[] = []
  const noting = (name: string, rule: CompiledRule): CompiledRule => ({
    ...rule,
    match: (sign) => {
      asked.push(name)
      return rule.match(sign)
    },
  })
  const rules = [
    noting('light', rule('asset', '/acme/', 20)),
    noting('heavy', rule('asset', '/acme/', 100)),
    noting('version', rule('meta', 'acme', 80, '2.1')),
  ]
  const { detected, score, version } = detect(rich, acme(...rules), { thorough: false })
  t.deepEqual([detected, score, version], [true, 100, '2.1'])
  t.false(asked.includes('light'))
  t.true(detect(rich, acme(...rules)).evidence.length === 3)
})

test('a page of the wanted system is not searched for others, unless one claims to have made it', (t) => {
  let looks = 0
  const counting = (rule: CompiledRule): CompiledRule => ({
    ...rule,
    match: (sign) => {
      looks += 1
      return rule.match(sign)
    },
  })
  const wanted = acme(counting(rule('asset', '/acme/', 100)), counting(rule('dom', 'acme', 20)))
  const other = {
    ...acme(counting(rule('meta', 'else', 100)), counting(rule('asset', '/else/', 60))),
    key: 'else',
  }
  const pictures = Array.from({ length: 400 }, (_, i) => `<img src="/acme/${i}.png"><i id="n${i}"></i>`).join(
    '',
  )

  t.true(detectAmong(page(pictures), wanted, [other], { thorough: false }).wanted.detected)
  t.is(looks, 1, 'the first picture is enough')
})

test('a page’s links include each host once, its own paths included', (t) => {
  const links = page(
    '<a href="/a">a</a><a href="/b">b</a><a href="//other.example/x">c</a><a href="/\t/third.example/">d</a>',
  ).links
  t.deepEqual(links, ['https://example.com/a', 'https://other.example/x', 'https://third.example/'])
})

test('a fork that kept the files of the original is not the original', (t) => {
  const all = shippedFingerprints()
  const fork = page(
    '<meta name="generator" content="WordPress 6.2.6 (compatible; ClassicPress 2.1.1)">' +
      '<link rel="stylesheet" href="/wp-content/themes/a/style.css"><script src="/wp-includes/js/a.js"></script>',
  )
  const original = detectAmong(fork, all.get('wordpress')!, all.values())
  t.false(original.wanted.detected)
  t.like(original.other, { name: 'ClassicPress', version: '2.1.1', certainty: 'certain' })
  const another = detectAmong(fork, all.get('kirby')!, all.values())
  t.is(another.other?.name, 'ClassicPress')
  const plain = page(
    '<meta name="generator" content="WordPress 6.5"><link rel="stylesheet" href="/wp-content/themes/a/style.css">',
  )
  t.true(detectAmong(plain, all.get('wordpress')!, all.values()).wanted.detected)
  t.false(detectAmong(plain, all.get('classicpress')!, all.values()).wanted.detected)
})
