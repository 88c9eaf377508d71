import { useLoaderData } from 'react-router'
import { posts } from '../../../posts.mjs'
import { host } from '../membership.server.js'

export const middleware = [host.gate('pro')]

export const loader = () => posts.find(({ slug }) => slug === 'archive')

export default function Archive() {
  const { title, body } = useLoaderData()
  return (
    <article>
      <h1>{title}</h1>
      <p>{body}</p>
    </article>
  )
}
