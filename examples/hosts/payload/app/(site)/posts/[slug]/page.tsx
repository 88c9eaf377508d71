import config from '@payload-config'
import { headers } from 'next/headers'
import { getPayload } from 'payload'

export default async function Post({ params }: { params: Promise<{ slug: string }> }) {
  const { slug } = await params
  const payload = await getPayload({ config })
  const { user } = await payload.auth({ headers: await headers() })
  const { docs } = await payload.find({
    collection: 'posts',
    where: { slug: { equals: slug } },
    overrideAccess: false,
    user,
  })
  const [post] = docs as unknown as { title: string; body: string }[]
  if (!post)
    return (
      <p>
        This post is for members. <a href="/membership/prices">Prices</a>
      </p>
    )
  return (
    <article>
      <h1>{post.title}</h1>
      <p>{post.body}</p>
    </article>
  )
}
