import ts from 'typescript';

interface ConstantArgument {
  readonly line: number;
  /** Expressions that need only names of the module. One for each value that the argument can have. */
  readonly variants: readonly string[];
}

/** A template with more choices than this isn't expanded. */
const MOST_VARIANTS = 64;

/**
 * Returns the first arguments of the calls of `method` whose values depend only on the module: constants, templates
 * with constants, calls of functions with constants, and choices between them.
 */
export function constantsOf(file: ts.SourceFile, method: string): ConstantArgument[] {
  const names = moduleNames(file);
  const found: ConstantArgument[] = [];
  const visit = (node: ts.Node): void => {
    const [first] = ts.isCallExpression(node) && isCallOf(node, method) ? node.arguments : [];
    const variants = first ? variantsOf(first, names) : [];
    const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (variants.length > 0) found.push({ line, variants });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const isCallOf = ({ expression }: ts.CallExpression, method: string): boolean =>
  ts.isPropertyAccessExpression(expression) && expression.name.text === method;

/** Returns `[]` if the value depends on anything else. */
function variantsOf(node: ts.Expression, names: ReadonlySet<string>): string[] {
  if (dependsOnlyOn(node, names)) return [node.getText()];
  if (ts.isParenthesizedExpression(node)) return variantsOf(node.expression, names);
  if (ts.isConditionalExpression(node))
    return all([node.whenTrue, node.whenFalse].map((each) => variantsOf(each, names)));
  if (ts.isElementAccessExpression(node) && dependsOnlyOn(node.expression, names))
    return [`Object.values(${node.expression.getText()})`];
  if (ts.isTemplateExpression(node)) return templateVariants(node, names);
  return ts.isIdentifier(node) ? variantsOfLocal(node, names) : [];
}

const all = (each: readonly string[][]): string[] => (each.some(({ length }) => length === 0) ? [] : each.flat());

function templateVariants(node: ts.TemplateExpression, names: ReadonlySet<string>): string[] {
  let variants = [node.head.getText()];
  for (const span of node.templateSpans) {
    const parts = variantsOf(span.expression, names);
    // eslint-disable-next-line @typescript-eslint/no-loop-func
    variants = parts.flatMap((part) => variants.map((before) => `${before}${part}${span.literal.getText()}`));
    if (variants.length > MOST_VARIANTS) return [];
  }
  return variants;
}

/** A `const` of the function, the variable of a loop over constants, or a parameter whose type lists its values. */
function variantsOfLocal(name: ts.Identifier, names: ReadonlySet<string>): string[] {
  const declared = declarationOf(name);
  if (!declared) return [];
  if (ts.isParameter(declared)) return literalsOf(declared.type);
  const list = declared.parent;
  if (!ts.isVariableDeclarationList(list) || (list.flags & ts.NodeFlags.Const) === 0) return [];
  if (ts.isForOfStatement(list.parent))
    return dependsOnlyOn(list.parent.expression, names) ? [`[...${list.parent.expression.getText()}]`] : [];
  return declared.initializer ? variantsOf(declared.initializer, names) : [];
}

function declarationOf(name: ts.Identifier): ts.VariableDeclaration | ts.ParameterDeclaration | null {
  for (let scope: ts.Node = name.parent; !ts.isSourceFile(scope); scope = scope.parent) {
    const found = declaredIn(scope).find((each) => ts.isIdentifier(each.name) && each.name.text === name.text);
    if (found) return found;
  }
  return null;
}

function declaredIn(scope: ts.Node): readonly (ts.VariableDeclaration | ts.ParameterDeclaration)[] {
  if (ts.isFunctionLike(scope)) return scope.parameters;
  if (ts.isForOfStatement(scope) && ts.isVariableDeclarationList(scope.initializer))
    return scope.initializer.declarations;
  if (!ts.isBlock(scope)) return [];
  return scope.statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => declarationList.declarations);
}

function literalsOf(type: ts.TypeNode | undefined): string[] {
  const members = type && ts.isUnionTypeNode(type) ? type.types : [];
  return all(members.map((each) => (ts.isLiteralTypeNode(each) ? [each.getText()] : [])));
}

/** Whether each name in the expression is one of `names` or a parameter in the expression. */
function dependsOnlyOn(expression: ts.Expression, names: ReadonlySet<string>): boolean {
  const own = new Set<string>();
  const visit = (node: ts.Node): boolean => {
    if (node.kind === ts.SyntaxKind.ThisKeyword || ts.isSpreadElement(node)) return false;
    if (ts.isParameter(node) && ts.isIdentifier(node.name)) own.add(node.name.text);
    if (ts.isIdentifier(node) && isRead(node) && !names.has(node.text) && !own.has(node.text)) return false;
    return ts.forEachChild(node, (child) => (visit(child) ? undefined : true)) === undefined;
  };
  return visit(expression);
}

const isRead = ({ parent, text }: ts.Identifier): boolean =>
  !(ts.isPropertyAccessExpression(parent) && parent.name.text === text) &&
  !(ts.isPropertyAssignment(parent) && parent.name.getText() === text);

function moduleNames(file: ts.SourceFile): ReadonlySet<string> {
  return new Set(
    file.statements.flatMap((statement) => {
      if (ts.isImportDeclaration(statement)) return importedNames(statement.importClause);
      if (ts.isVariableStatement(statement))
        return statement.declarationList.declarations.map(({ name }) => name.getText());
      if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement) || ts.isEnumDeclaration(statement))
        return statement.name ? [statement.name.text] : [];
      return [];
    }),
  );
}

function importedNames(clause: ts.ImportClause | undefined): string[] {
  const bindings = clause?.namedBindings;
  const named = bindings && ts.isNamedImports(bindings) ? bindings.elements.map(({ name }) => name.text) : [];
  return clause?.name ? [clause.name.text, ...named] : named;
}
