import test from 'ava'
import { type FetchedPage, type Scan, scanPage } from '../../../src/reports/detection/index.ts'

function scan(html: string, page: Partial<FetchedPage> = {}): Scan {
  return scanPage({ url: 'https://www.example.com/a/page', headers: {}, html, ...page })
}

test('headers are signs with their values, cookies without', (t) => {
  const headers = {
    'x-powered-by': 'PHP/8.3',
    link: ['<a>; rel=x', '<b>; rel=y'],
    'set-cookie': ['session=secret; path=/', 'bare', ' spaced =1'],
  }
  const { signs } = scan('', { headers })
  t.deepEqual(signs.header, ['x-powered-by: PHP/8.3', 'link: <a>; rel=x', 'link: <b>; rel=y'])
  t.deepEqual(signs.cookie, ['session', 'bare', 'spaced'])
  t.deepEqual(scan('', { headers: { 'set-cookie': 'one=1' } }).signs.cookie, ['one'])
})

test('meta tags are signs with any naming attribute', (t) => {
  const { signs } = scan(`<meta name="Generator" content="Acme 1"><meta property="og:type" content="website">
    <meta http-equiv="refresh" content="5"><meta charset="utf-8"><meta name="empty">`)
  t.deepEqual(signs.meta, ['generator=Acme 1', 'og:type=website', 'refresh=5'])
})

test('a file of the site itself is a path, another site’s file is its whole address', (t) => {
  const { signs } = scan(`
    <script src="/app.js?v=1#x"></script>
    <script src="https://cdn.example.com/lib.js"></script>
    <script src="https://example.net/theirs.js#x"></script>
    <img src="pic.jpg" data-src="//images.example.com/lazy.jpg">
    <source srcset="a,b.webp 1x, /c.webp 2x">
    <video poster="/poster.jpg"></video>
    <link rel="stylesheet" href="/site.css"><link rel="icon" href="/icon.png">
    <img src="data:image/png;base64,AA"><img src="http://[broken"><img>`)
  t.deepEqual(signs.script, ['/app.js?v=1', '/lib.js', 'https://example.net/theirs.js'])
  t.deepEqual(signs.asset, [
    '/app.js?v=1',
    '/lib.js',
    'https://example.net/theirs.js',
    '/a/pic.jpg',
    '/lazy.jpg',
    '/a/a,b.webp',
    '/c.webp',
    '/poster.jpg',
    '/site.css',
    '/icon.png',
  ])
})

test('the social image and backgrounds are files of the page', (t) => {
  const { signs } =
    scan(`<meta property="og:image" content=" /media/og.jpg "><meta name="og:title" content="/x">
    <p style="background: url('/one.png'), url( two.png ); color: red"><p style="background:url(data:x)">`)
  t.deepEqual(signs.asset, ['/media/og.jpg', '/one.png', '/a/two.png'])
})

test('names below co.uk are different sites, and so are addresses without a name', (t) => {
  const ofStranger = (url: string, src: string) => scan(`<img src="${src}">`, { url }).signs.asset[0]
  t.is(ofStranger('https://a.co.uk/', 'https://b.co.uk/x.png'), 'https://b.co.uk/x.png')
  t.is(ofStranger('https://www.a.co.uk/', 'https://img.a.co.uk/x.png'), '/x.png')
  t.is(ofStranger('https://192.0.2.1/', 'https://198.51.2.1/x.png'), 'https://198.51.2.1/x.png')
  t.is(ofStranger('https://[2001:db8::1]/', 'https://[2001:db8::2]/x.png'), 'https://[2001:db8::2]/x.png')
})

test('links between pages are signs by their relation, those that load a file are not', (t) => {
  const { signs } = scan(`<link rel="https://api.example.org/" href="https://www.example.com/json/">
    <link rel="EditURI" href="/rpc?rsd"><link rel="alternate  home" href="https://example.net/feed">
    <link rel="preload" href="/font.woff2"><link href="/nothing">`)
  t.deepEqual(signs.link, [
    'https://api.example.org/=/json/',
    'edituri=/rpc?rsd',
    'alternate home=https://example.net/feed',
  ])
})

test('markup is signs: the frame, forms, custom elements, and what has an id, a class or data', (t) => {
  const { signs } = scan(`<html lang=en><body class="home\n page"><main><p>Text<span style="x">
    <x-island url="/a"></x-island><form method=post action="/send"></form><b id=b data-n='a"b' data-src="/x">
    <!-- generator=WordPress -->`)
  t.deepEqual(signs.dom, [
    '<html>',
    '<body class="home page">',
    '<main>',
    '<x-island>',
    '<form action="/send">',
    '<b id="b" data-n="a&quot;b">',
  ])
})

test('a script with state shows how its text begins, other scripts do not', (t) => {
  const { signs } =
    scan(`<script id="__STATE__" type="application/json">{"page": "${'x'.repeat(900)}"}</script>
    <script id="ld" type="application/ld+json">{"name":"WordPress"}</script><script id="code">secret()</script>
    <script type="application/json">{"open":`)
  const [tag, withText, ...rest] = signs.dom
  t.is(tag, '<script id="__STATE__" type="application/json">')
  t.true(withText?.startsWith('<script id="__STATE__" type="application/json">{"page": "xxx'))
  t.is(withText?.length, 500)
  t.deepEqual(rest, [
    '<script id="ld" type="application/ld+json">',
    '<script id="code">',
    '<script type="application/json">{"open":',
  ])
})

test('a page links to a host once, and to nothing but http and https', (t) => {
  const { links } = scan(`<a href="/own"><a href="https://a.example/1"><a href="https://a.example/2">
    <a href="mailto:x@example.com"><a href="javascript:x()"><a name=x><a href="http://b.example:8080/">`)
  t.deepEqual(links, ['https://www.example.com/own', 'https://a.example/1', 'http://b.example:8080/'])
})

test('a page with an invalid address gives everything that needs no address', (t) => {
  const { signs, metadata } = scan('<title>T</title><img src="/x.png">', { url: 'nonsense' })
  t.is(metadata.title, 'T')
  t.deepEqual(signs.asset, [])
})

test('hidden content is no sign, and empty links hide none', (t) => {
  const picture = '/media/pages/home/0a1b2c3d4e-1700000000/cover.jpg'
  const hidden = [
    `<template><img src="${picture}"></template>`,
    `<div hidden><p><img src="${picture}"></p></div>`,
    `<div style="color:red; display: none"><img src="${picture}"></div>`,
    `<img src="${picture}" style="display:none">`,
    `<img src="${picture}" width="1" height="1">`,
    `<!-- <img src="${picture}"> -->`,
    `<p>generator=Kirby &lt;img src="${picture}"&gt;</p>`,
    `<textarea><img src="${picture}"></textarea>`,
  ]
  for (const html of hidden) t.deepEqual(scan(`<body>${html}<p>After.</p>`).signs.asset, [], html)
  // A menu that opens later still leads somewhere, and what comes after it counts.
  const menu = scan(`<nav hidden><a href="https://other.example.org/">1</a></nav><img src="${picture}">`)
  t.deepEqual(menu.links, ['https://other.example.org/'])
  t.deepEqual(menu.signs.asset, [picture])
})

test('files are signs wherever a page names them: links, styles, and what is loaded later', (t) => {
  const named =
    scan(`<style>.a{background:url("/media/site/a.webp")}</style><a href="/media/site/plan.pdf?v=1">x</a>
    <a href="/media/site/page">no file</a><div data-bg="/media/site/b.jpg" style="background:url(/media/site/c.jpg)"></div>
    <img data-lazy-src="/media/site/d.jpg" data-srcset="/media/site/e.jpg 1x, /media/site/f.jpg 2x">`)
  t.deepEqual(named.signs.asset, [
    '/media/site/a.webp',
    '/media/site/plan.pdf?v=1',
    '/media/site/c.jpg',
    '/media/site/d.jpg',
    '/media/site/e.jpg',
    '/media/site/f.jpg',
  ])
})

test('a generator is kept after any number of other meta tags', (t) => {
  const many = Array.from({ length: 400 }, (_, n) => `<meta name="x${n}" content="y">`).join('')
  t.true(
    scan(`${many}<meta name="generator" content="WordPress 6.5">`).signs.meta.includes(
      'generator=WordPress 6.5',
    ),
  )
})

test('references are decoded where HTML has them: in attributes, titles and drawings, not in styles and scripts', (t) => {
  const { signs, metadata, links } =
    scan(`<html data-a="&amp;&copy=1&copy; &#x41;&#65"><title>A &lt;b&gt; &amp;amp; &ampc</title>
    <base href="/a&amp;b/"><img src="x.jpg?a=1&amp;b=2&lt=3"><img src=/plain/path.jpg?v=1.2>
    <a href="https://example.org/?a=1&amp;b">x</a>
    <style>body{background:url(/style&amp;.png)}</style>
    <svg><style>g{fill:url(/drawn&amp;.png)}</style></svg>
    <script type="application/json">{"a":"&amp;"}</script>`)
  t.is(metadata.title, 'A <b> &amp; &c')
  t.deepEqual(signs.asset, [
    '/a&b/x.jpg?a=1&b=2&lt=3',
    '/plain/path.jpg?v=1.2',
    '/style&amp;.png',
    '/drawn&.png',
  ])
  t.deepEqual(signs.dom, ['<html data-a="&&copy=1© AA">', '<script type="application/json">{"a":"&amp;"}'])
  t.deepEqual(links, ['https://example.org/?a=1&b'])
})

test('a path is the site’s own only below its own base', (t) => {
  const of = (base: string) => scan(`<base href="${base}"><img src="/pictures/a.jpg">`).signs.asset
  t.deepEqual(of('https://elsewhere.example.net/'), ['https://elsewhere.example.net/pictures/a.jpg'])
  t.deepEqual(of('https://cdn.example.com/'), ['/pictures/a.jpg'])
  const paths = [
    '/a/../b.jpg',
    '/./c.jpg',
    '/%2e%2e/d.jpg',
    '//example.net/e.jpg',
    '/f g.jpg',
    '/h.jpg#x',
    '/i.jpg?',
  ]
  t.deepEqual(scan(paths.map((src) => `<img src="${src}">`).join('')).signs.asset, [
    '/b.jpg',
    '/c.jpg',
    '/d.jpg',
    'https://example.net/e.jpg',
    '/f%20g.jpg',
    '/h.jpg',
    '/i.jpg',
  ])
})

test('the end of a head with too many tags is read', (t) => {
  const head = `${'<link>'.repeat(50_001)}<meta name="generator" content="Acme">`
  const scan = scanPage({
    url: 'https://example.com/',
    headers: {},
    html: `<head>${head}</head><body></body>`,
  })
  t.is(scan.stopped, 'tags')
  t.true(scan.isHeadTailRead)
  t.true(scan.signs.meta.includes('generator=Acme'))
})

test('a tail that begins within a script is read after its end', (t) => {
  const scan = scanPage({
    url: 'https://example.com/',
    headers: {},
    html: '<head><title>A</title>',
    isCut: true,
    headTail:
      'let a = \'<meta name="generator" content="No">\'</script><meta name="generator" content="Yes">',
  })
  t.deepEqual(scan.signs.meta, ['generator=Yes'])
  t.is(scan.stopped, 'size')
})

test('a picture inside of an SVG drawing is a file of the page', (t) => {
  const { signs } = scan('<svg><image href="/media/a.jpg"/><image xlink:href="/media/b.jpg"/></svg>')
  t.deepEqual(signs.asset, ['/media/a.jpg', '/media/b.jpg'])
})
