import { posts } from '../../../posts.mjs'
import { host } from '../../lib/membership.js'

export default async function Archive() {
  await host.gate('pro', '/')
  const { title, body } = posts.find(({ slug }) => slug === 'archive')
  return (
    <article>
      <h1>{title}</h1>
      <p>{body}</p>
    </article>
  )
}
