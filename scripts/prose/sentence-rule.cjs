'use strict';
// A textlint rule for the first words and the length of a sentence. It reads whole paragraphs, so that code, links, and
// emphasis inside a sentence don't start a new one.
const { StringSource } = require('textlint-util-to-string');

const END = /(?<=[.!?])\s+(?=["'`(*_]?[A-ZÄÖÜ0-9`])/;

/** Calls `each` with every sentence and its offset. */
function forEachSentence(text, each) {
  let at = 0;
  for (const sentence of text.split(END)) {
    const start = text.indexOf(sentence, at);
    each(sentence, start);
    at = start + sentence.length;
  }
}

module.exports = (context, { openings, length }) => {
  const { Syntax, report, RuleError, locator } = context;
  const isTable = (node) => node.type === 'TableCell';

  function judge(node) {
    const source = new StringSource(node, {
      replacer: ({ node: part, maskValue }) => (part.type === Syntax.Code ? maskValue('x') : undefined),
    });
    forEachSentence(source.toString(), (sentence, start) => {
      const at = source.originalIndexFromIndex(start) ?? 0;
      const complain = (name, instead) =>
        report(node, new RuleError(`${name}: ${instead}`, { padding: locator.at(Math.min(at, node.raw.length - 1)) }));
      if (/\?["')]*$/.test(sentence.trim())) return;
      for (const { name, pattern, instead } of openings) if (pattern.test(sentence)) complain(name, instead);
      if (!length || isTable(node)) return;
      const words = sentence.split(/\s+/).filter(Boolean).length;
      if (words > length.words) complain(`${words} words`, `at most ${length.words} in a sentence`);
      const count = (mark) => sentence.split(mark).length - 1;
      if (count(/;(?=\s)/) > length.semicolons || count(/:(?=\s)/) > length.colons)
        complain('semicolons and colons', 'one fact in a sentence');
    });
  }

  return {
    [Syntax.Paragraph]: judge,
    [Syntax.TableCell]: judge,
    [Syntax.Header]: judge,
  };
};
