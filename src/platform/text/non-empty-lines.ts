/** Returns the lines that contain anything but blanks, without the blanks at both ends. */
export const nonEmptyLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
