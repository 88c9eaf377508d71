/** Breaks a paragraph at spaces into lines of at most `width` characters; a longer word stands whole on its own line. */
export const wrap = (text: string, width = 72): string => {
  const lines: string[] = []
  // Only the plain space breaks: "5 €" is held together by another one.
  for (const word of text.split(/[ \t\n]+/).filter(Boolean)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
