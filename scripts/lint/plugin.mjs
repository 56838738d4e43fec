// This repository's oxlint rules, which oxlint loads as a plugin (.oxlintrc.json).
import { analyse } from 'scslre';

/** Replaces the part of a pattern that is known only at run time. No pattern in the service contains this character. */
const UNKNOWN = '\uE000';

/** Returns the initializer of a constant that this file declares once, or `null`. */
function initializerOf(identifier, context) {
  for (let scope = context.sourceCode.getScope(identifier); scope !== null; scope = scope.upper) {
    const variable = scope.set.get(identifier.name);
    if (variable === undefined) continue;
    const [definition, ...others] = variable.defs;
    const isConstant = definition?.type === 'Variable' && others.length === 0 && definition.parent?.kind === 'const';
    return isConstant && definition.node.id.type === 'Identifier' ? definition.node.init : null;
  }
  return null;
}

/** Returns the text of an expression, with `UNKNOWN` for each part that isn't in this file. */
function textOf(node, context) {
  if (node === null || node === undefined) return UNKNOWN;
  switch (node.type) {
    case 'Literal':
      return node.regex === undefined ? String(node.value) : node.regex.pattern;
    case 'TemplateLiteral':
      return node.quasis
        .map(
          ({ value }, index) =>
            value.cooked + (index < node.expressions.length ? textOf(node.expressions[index], context) : ''),
        )
        .join('');
    case 'TaggedTemplateExpression':
      return node.quasi.quasis
        .map(
          ({ value }, index) =>
            value.raw + (index < node.quasi.expressions.length ? textOf(node.quasi.expressions[index], context) : ''),
        )
        .join('');
    case 'BinaryExpression':
      return node.operator === '+' ? textOf(node.left, context) + textOf(node.right, context) : UNKNOWN;
    case 'MemberExpression':
      return node.property.name === 'source' ? textOf(node.object, context) : UNKNOWN;
    case 'NewExpression':
      return isRegExp(node) ? textOf(node.arguments[0], context) : UNKNOWN;
    case 'Identifier':
      return textOf(initializerOf(node, context), context);
    default:
      return UNKNOWN;
  }
}

/** Returns the flags of a pattern that is being copied. */
const flagsOf = (node, context) =>
  (node.type === 'Identifier' ? initializerOf(node, context) : node)?.regex?.flags ?? '';

const isRegExp = ({ callee }) => callee.type === 'Identifier' && callee.name === 'RegExp';

/** Returns the reports for one pattern. A pattern that can't be parsed without its unknown parts has none. */
function reportsOf(source, flags) {
  try {
    return analyse({ source, flags }).reports;
  } catch {
    return [];
  }
}

const HOW = {
  Move: 'it is tried again at every place of such a run',
  Trade: 'two of its parts can share such a run in every way',
  Self: 'a repeated part repeats itself over such a run',
};

/**
 * Reports regular expressions that take quadratic time or worse. If a user stores a run of 5,000 identical characters,
 * such an expression takes 25,000,000 steps each time the text is shown. `(?<!-)-+$` is the linear form of `-+$`.
 */
const linearPatterns = {
  meta: { type: 'problem', docs: { description: 'Every regular expression takes linear time.' } },
  create(context) {
    const check = (node, source, flags) => {
      const [report] = reportsOf(source, flags);
      if (report === undefined) return;
      context.report({
        node,
        message:
          `This pattern takes ${report.exponential ? 'exponential' : 'quadratic'} time on a run of ` +
          `/${report.character.literal.source}/: ${HOW[report.type]}. Look behind the run ("(?<!-)-+$"), or search without a pattern.`,
      });
    };
    const made = (node) => {
      if (!isRegExp(node) || node.arguments.length === 0) return;
      const [pattern, flags] = node.arguments;
      check(node, textOf(pattern, context), flags === undefined ? flagsOf(pattern, context) : textOf(flags, context));
    };
    return {
      Literal: (node) => {
        if (node.regex !== undefined) check(node, node.regex.pattern, node.regex.flags);
      },
      NewExpression: made,
      CallExpression: made,
    };
  },
};

export default { meta: { name: 'uptime' }, rules: { 'linear-patterns': linearPatterns } };
