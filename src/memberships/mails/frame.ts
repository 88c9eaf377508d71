/**
 * Headers that let a page of the operator or the demo show a mail as its reader sees it. A mail's styles are inline,
 * which the policy of our pages forbids, and a frame with `srcdoc` inherits that policy. So the HTML has an address
 * of its own, answered with these headers: its styles count there, and nothing else does, neither scripts, forms nor
 * pictures from elsewhere, nor the site's origin. Links open in a tab of their own.
 */
export const framedMailHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'private, no-store',
  // The page's address may name a mail, and the mail's links lead elsewhere.
  'Referrer-Policy': 'no-referrer',
}

/** The directive that `templates/mailbox.eta` needs in the policy of its own page, beside what the page has. */
export const mailboxDirective = "frame-src 'self'"
