/** Wraps a paragraph at spaces to lines of at most `width` characters. A longer word gets a line of its own. */
export const wrap = (text: string, width = 72): string => {
  const lines: string[] = []
  // Only a plain space breaks a line. "5 €" has a no-break space.
  for (const word of text.split(/[ \t\n]+/).filter(Boolean)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
