import { type ApiDocument, exampleOf, type Operation, type Parameter } from './document';
import { Field, Later, SchemaFields } from './schema-fields';
import { Json, Paragraphs, Text } from './text';
import { TryIt } from './try-it';

interface Props {
  operation: Operation;
  document: ApiDocument;
}

export function OperationPage({ operation, document }: Props) {
  const { summary, method, path, description, parameters = [], requestBody, isWebhook } = operation;
  const body = requestBody?.content['application/json'];
  const responses = Object.entries(operation.responses);
  return (
    <article>
      <h1 tabIndex={-1}>{summary}</h1>
      <p class="route">
        <strong>{isWebhook ? 'EVENT' : method}</strong> <code>{path}</code>
      </p>
      <Paragraphs text={description} />
      <Parameters title="Path" list={parameters.filter((each) => each.in === 'path')} document={document} />
      <Parameters title="Query" list={parameters.filter((each) => each.in === 'query')} document={document} />
      <Parameters title="Headers" list={parameters.filter((each) => each.in === 'header')} document={document} />
      {body?.schema && (
        <section>
          <h2>Body</h2>
          <SchemaFields schema={body.schema} document={document} />
          {isWebhook && <Json value={exampleOf(body, document)} />}
        </section>
      )}
      <section>
        <h2>Responses</h2>
        <Responses list={responses.filter(([status]) => !isError(status))} document={document} />
        {responses.some(([status]) => isError(status)) && (
          <Later
            title={`Errors: ${responses
              .map(([status]) => status)
              .filter(isError)
              .join(', ')}`}
          >
            {() => <Responses list={responses.filter(([status]) => isError(status))} document={document} />}
          </Later>
        )}
      </section>
      {!isWebhook && <TryIt key={operation.operationId} operation={operation} document={document} />}
    </article>
  );
}

const isError = (status: string): boolean => /^[45]/.test(status);

function Responses({ list, document }: { list: [string, Operation['responses'][string]][]; document: ApiDocument }) {
  return (
    <ul class="fields">
      {list.map(([status, { description, content }]) => (
        <li key={status}>
          <code>{status}</code> <Text text={description} />
          {Object.entries(content ?? {}).map(([type, each]) => (
            <Later key={type} title={`Body of ${status}, ${type}`}>
              {() => (
                <>
                  {each.schema && <SchemaFields schema={each.schema} document={document} />}
                  <Json value={exampleOf(each, document)} />
                </>
              )}
            </Later>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Parameters({ title, list, document }: { title: string; list: Parameter[]; document: ApiDocument }) {
  if (list.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="fields">
        {list.map(({ name, schema, description, required }) => (
          <Field
            key={name}
            name={name}
            schema={description === undefined ? schema : { ...schema, description }}
            document={document}
            isRequired={required === true}
          />
        ))}
      </ul>
    </section>
  );
}
