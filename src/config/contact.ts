/** Whether a text is an e-mail address, by its characters. */
export function isEmailAddress(text: string): boolean {
  return /^[^\s@<>",;:]+@[^\s@<>",;:]+$/.test(text)
}

/** Whether a text is a URL that a page may link to. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s<>"]+$/i.test(text) && URL.canParse(text)
}
