/** The address as people may see it. */
export function withoutPassword(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url)
  return `${hostname || searchParams.get('host') || 'localhost'}${port ? `:${port}` : ''}${pathname}`
}
