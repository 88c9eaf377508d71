/**
 * Headers that let an operator's page or the demo show a mail as its reader sees it. A mail has inline styles, which
 * our pages' policy forbids, and a frame with `srcdoc` inherits that policy. The HTML therefore has its own address
 * with these headers. They allow its styles, but no scripts, forms, external images or access to the site's origin.
 * Links open in a new tab.
 */
export const framedMailHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'private, no-store',
  // The page's address may name a mail, and the mail links to other sites.
  'Referrer-Policy': 'no-referrer',
}

/** The directive that the page of `templates/mailbox.eta` needs in its own policy. */
export const mailboxDirective = "frame-src 'self'"
