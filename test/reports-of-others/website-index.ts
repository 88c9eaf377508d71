import { detectAmong, scanPage } from '../../src/reports/detection/index.ts'
import { shippedFingerprints } from '../reports/detection/fixtures.ts'
import type { Report } from './report.ts'

function certaintyOf(
  html: string,
  system: string,
  headers: Record<string, string> = {},
  url = 'https://shop.example/',
) {
  const known = [...shippedFingerprints().values()]
  const wanted = known.find(({ key }) => key === system)!
  const forks = known.filter(({ forkOf }) => forkOf === system)
  return detectAmong(scanPage({ url, headers, html }), wanted, forks).wanted.certainty
}

function page(head: string, body: string) {
  return `<!doctype html><html><head>${head}</head><body>${body}</body></html>`
}

/** A website was taken for something that it is not. */
export const indexReports: readonly Report[] = [
  {
    link: 'https://github.com/Tuhinshubhra/CMSeeK/issues/54',
    kind: 'index',
    seller: null,
    wanted: 'a page that writes about wp-content is no WordPress',
    why: 'A page of search results that mentioned the word counted as WordPress.',
    at6ca7: 'held',
    async run(t) {
      const text = '<p>Where is wp-content? Open /wp-content/themes/ and /wp-includes/js/ on your server.</p>'
      const links = '<a href="https://blog.example/wp-content/uploads/a.pdf">a result</a>'
      t.is(certaintyOf(page('<title>wp-content</title>', text + links), 'wordpress'), 'none')
      const own = '<link rel="stylesheet" href="https://shop.example/wp-content/themes/a/style.css">'
      const script = '<script src="https://shop.example/wp-includes/js/jquery/jquery.min.js"></script>'
      const head = `<meta name="generator" content="WordPress 6.8">${own}${script}`
      t.is(certaintyOf(page(head, text), 'wordpress'), 'certain')
    },
  },
  {
    link: 'https://github.com/SIWECOS/InfoLeak-Scanner/issues/1',
    kind: 'index',
    seller: null,
    wanted: 'an icon with the name of a system is no sign of that system',
    why: 'A class called “fonticon-wordpress” was enough to name the website.',
    at6ca7: 'held',
    async run(t) {
      const icons =
        '<i class="fonticon-wordpress"></i><i class="fa fa-wordpress"></i><i class="fab fa-joomla"></i>'
      for (const system of ['wordpress', 'joomla']) t.is(certaintyOf(page('', icons), system), 'none', system)
    },
  },
  {
    link: 'https://github.com/HTTPArchive/wappalyzer/pull/117',
    kind: 'index',
    seller: null,
    wanted: 'a website that offers Shop Pay is no Shopify',
    why: 'One script from the network of Shopify was enough, and others may load it, too.',
    at6ca7: 'held',
    async run(t) {
      const script = '<script src="https://cdn.shopify.com/shopifycloud/shop-js/client.js"></script>'
      t.not(certaintyOf(page('<title>Shoes</title>', script), 'shopify'), 'certain')
    },
  },
  {
    link: 'https://github.com/enthec/webappanalyzer/issues/223',
    kind: 'index',
    seller: null,
    wanted: 'a style or a picture from somebody else’s WordPress makes no WordPress',
    why: 'Each weak sign counted alone, and a borrowed resource named the website.',
    at6ca7: 'held',
    async run(t) {
      const style = '<link rel="stylesheet" href="https://widgets.example/wp-content/plugins/chat/style.css">'
      const picture = '<img src="https://i0.wp.com/blog.example/wp-content/uploads/a.jpg" alt="">'
      for (const borrowed of [style, picture, style + picture])
        t.not(certaintyOf(page(borrowed, picture), 'wordpress'), 'certain', borrowed)
    },
  },
  {
    link: 'https://github.com/wappalyzer/wappalyzer/issues/3983',
    kind: 'index',
    seller: null,
    wanted: 'a shop that serves its files from its own address is found to be Shopify',
    why: 'Large shops had no file of the common network, and were not recognised.',
    at6ca7: 'held',
    async run(t) {
      const head =
        '<link rel="stylesheet" href="https://shop.example/cdn/shop/t/12/assets/base.css?v=1">' +
        '<script src="/cdn/shop/t/12/assets/theme.js?v=1" defer></script>'
      const body = '<div id="shopify-section-header" class="shopify-section">Shoes</div>'
      t.is(certaintyOf(page(head, body), 'shopify', { 'powered-by': 'Shopify' }), 'certain')
      t.is(certaintyOf(page(head, body), 'shopify'), 'certain')
    },
  },
  {
    link: 'https://github.com/wappalyzer/wappalyzer/issues/1567',
    kind: 'index',
    seller: null,
    wanted: 'parameters of an address that Joomla knows, too, make no Joomla',
    why: 'Any website became Joomla by “option=com_users” behind its address.',
    at6ca7: 'held',
    async run(t) {
      const link = '<a href="/index.php?option=com_users&amp;view=login">Log in</a>'
      const form = '<form action="/?option=com_users"><input name="option" value="com_users"></form>'
      const url = 'https://shop.example/?option=com_users'
      t.is(certaintyOf(page('<title>Search</title>', link + form), 'joomla', {}, url), 'none')
      const options = '<script type="application/json" class="joomla-script-options new">{}</script>'
      const own = `<script src="/media/system/js/core.min.js"></script>${options}`
      t.is(certaintyOf(page(own, link), 'joomla', {}, url), 'certain')
    },
  },
  {
    link: 'https://github.com/wappalyzer/wappalyzer/pull/2846',
    kind: 'index',
    seller: null,
    wanted: 'a TYPO3 that names its files by absolute addresses is found',
    why: 'Only addresses relative to the page were a sign, and many websites were missed.',
    at6ca7: 'held',
    async run(t) {
      const files = (base: string) =>
        `<link rel="stylesheet" href="${base}typo3temp/assets/compressed/merged-1a2b.css">` +
        `<script src="${base}typo3conf/ext/sitepackage/Resources/Public/main.js"></script>`
      for (const base of ['', '/', 'https://shop.example/', '//shop.example/'])
        t.is(certaintyOf(page(files(base), ''), 'typo3'), 'certain', base)
      t.not(certaintyOf(page(files('https://other.example/'), ''), 'typo3'), 'certain')
    },
  },
]
