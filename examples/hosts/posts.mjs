/** The posts of every framework's example. A post with a `gate` has a text that only those members read. */
export const posts = [
  { slug: 'welcome', title: 'Welcome', gate: null, body: 'Everybody reads this.' },
  { slug: 'archive', title: 'The archive', gate: 'pro', body: 'The archive. CLOSED-TEXT' },
]

/** A post as this visitor may read it: without its text where the gate is closed. */
export const readBy = (view, { body, ...post }) =>
  post.gate === null || view.allows(post.gate) ? { ...post, body } : post

/** A feed with the texts that this visitor may read. */
export const feedFor = (view) =>
  `<rss version="2.0"><channel><title>Posts</title>${posts
    .map((post) => readBy(view, post))
    .map(
      ({ title, slug, body = '' }) =>
        `<item><title>${title}</title><link>/${slug}</link><description>${body}</description></item>`,
    )
    .join('')}</channel></rss>`

/** Every address, whoever asks. */
export const sitemap = () =>
  `<urlset>${posts.map(({ slug }) => `<url><loc>/${slug}</loc></url>`).join('')}</urlset>`
