import { type ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiDocument, choicesOf, inside, resolved, rulesOf, type Schema, typeOf } from './document';
import { Text } from './text';

interface Props {
  schema: Schema;
  document: ApiDocument;
}

/** Renders its children only after it is opened, because schemas may refer to each other endlessly. */
export function Later({ title, children }: { title: ComponentChildren; children: () => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

/** Shows an object's fields, or a schema's alternatives. */
export function SchemaFields({ schema, document }: Props) {
  const whole = inside(schema, document);
  const choices = choicesOf(whole, document);
  if (choices.length > 0)
    return (
      <>
        {choices.map(([name, choice]) => (
          <Later key={name} title={<code>{name}</code>}>
            {() => <SchemaFields schema={choice} document={document} />}
          </Later>
        ))}
      </>
    );
  if (!whole.properties) return <p>{typeOf(whole, document)}</p>;
  return (
    <ul class="fields">
      {Object.entries(whole.properties).map(([name, each]) => (
        <Field
          key={name}
          name={name}
          schema={each}
          document={document}
          isRequired={whole.required?.includes(name) === true}
        />
      ))}
    </ul>
  );
}

interface FieldProps extends Props {
  name: string;
  isRequired: boolean;
}

export function Field({ name, schema, document, isRequired }: FieldProps) {
  const whole = resolved(schema, document);
  const within = inside(schema, document);
  const hasParts = within.properties !== undefined || choicesOf(within, document).some(([, each]) => each.$ref);
  return (
    <li>
      <code>{name}</code> <span class="type">{typeOf(schema, document)}</span>{' '}
      {isRequired && <span class="required">required</span>}
      {whole.deprecated === true && <span class="type">deprecated</span>}
      <div class="about">
        <Text text={[whole.description, rulesOf(whole)].filter(Boolean).join(' ')} />
      </div>
      {hasParts && (
        <Later title={`Fields of ${name}`}>{() => <SchemaFields schema={schema} document={document} />}</Later>
      )}
    </li>
  );
}
