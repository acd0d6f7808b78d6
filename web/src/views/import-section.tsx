import type { ReadingList } from '@reading-list/client';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { number, reasonOf, t } from '../texts';
import { type ImportResult, runImport } from '../ways/import';
import type { Preview, Refusal } from '../ways/read-file';

type Step =
  | { at: 'choose'; problem?: string }
  | { at: 'reading' }
  | { at: 'preview'; preview: Preview }
  | { at: 'running'; preview: Preview; done: number }
  | { at: 'finished'; result: ImportResult; isWhole: boolean };

const REFUSALS_SHOWN = 50;

interface Props {
  list: ReadingList;
  device: string;
  onRunning: (isRunning: boolean) => void;
}

/** The import of a file: preview, import, result. */
export function ImportSection({ list, device, onRunning }: Props): JSX.Element {
  const [step, setStep] = useState<Step>({ at: 'choose' });
  const abort = useRef<AbortController>(undefined);
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
    onRunning(step.at === 'running');
  }, [step.at]);
  useEffect(() => () => abort.current?.abort(), []);

  const choose = async (file: File | undefined) => {
    if (!file) return;
    setStep({ at: 'reading' });
    try {
      // The parsers are as large as the application, so they are loaded on demand.
      const { readFile } = await import('../ways/read-file');
      const preview = await readFile(file, list, device);
      setStep(preview ? { at: 'preview', preview } : { at: 'choose', problem: t.importing.unknownFormat });
    } catch (error) {
      setStep({ at: 'choose', problem: t.notices.failed(reasonOf(error)) });
    }
  };
  const start = async (preview: Preview) => {
    abort.current = new AbortController();
    setStep({ at: 'running', preview, done: 0 });
    const onProgress = (done: number) => setStep({ at: 'running', preview, done });
    const result = await runImport(list, preview, onProgress, abort.current.signal);
    setStep({ at: 'finished', result, isWhole: !abort.current.signal.aborted });
  };

  return (
    <section class="stack" aria-labelledby="import-heading">
      <h3 id="import-heading" ref={heading} tabIndex={-1}>
        {t.importing.heading}
      </h3>
      {step.at === 'choose' && <Choose problem={step.problem} onChoose={(file) => void choose(file)} />}
      {step.at === 'reading' && <p role="status">{t.importing.reading}</p>}
      {step.at === 'preview' && (
        <PreviewOf
          preview={step.preview}
          onStart={() => void start(step.preview)}
          onCancel={() => setStep({ at: 'choose' })}
        />
      )}
      {step.at === 'running' && (
        <Running done={step.done} total={step.preview.entries.length} onStop={() => abort.current?.abort()} />
      )}
      {step.at === 'finished' && <Finished {...step} onAgain={() => setStep({ at: 'choose' })} />}
    </section>
  );
}

function Choose({ problem, onChoose }: { problem?: string; onChoose: (file: File | undefined) => void }): JSX.Element {
  return (
    <>
      <p class="hint">{t.importing.hint}</p>
      <label class="file">
        {t.importing.choose}
        <input
          type="file"
          accept=".csv,.html,.htm,.jsonl,.ndjson,.json,.txt,text/csv,text/html"
          onChange={(event) => onChoose(event.currentTarget.files?.[0])}
        />
      </label>
      <p class="problem" role="alert">
        {problem}
      </p>
    </>
  );
}

function PreviewOf({
  preview,
  onStart,
  onCancel,
}: {
  preview: Preview;
  onStart: () => void;
  onCancel: () => void;
}): JSX.Element {
  const { entries, known, refused, leftOut, stoppedAt } = preview;
  const count = entries.length + known + refused.length;
  return (
    <>
      <p>{t.importing.preview(t.importing.formats[preview.format] ?? preview.format, count)}</p>
      {stoppedAt !== undefined && <p class="problem">{t.importing.stoppedAt(reasonOf(stoppedAt))}</p>}
      <Numbers
        numbers={[
          [t.importing.willAdd, entries.length],
          [t.importing.willKnow, known],
          [t.importing.willRefuse, refused.length],
        ]}
      />
      <ol class="sample">
        {entries.slice(0, 5).map(({ line, fields }) => (
          <li key={line}>
            <bdi>{fields.title || fields.url}</bdi>
          </li>
        ))}
      </ol>
      {leftOut > 0 && <p class="hint">{t.importing.leftOut(leftOut)}</p>}
      <Refused refused={refused} />
      <div class="buttons">
        {entries.length > 0 ? (
          <button type="button" class="primary" onClick={onStart}>
            {t.importing.start(entries.length)}
          </button>
        ) : (
          <p>{t.importing.nothing}</p>
        )}
        <button type="button" onClick={onCancel}>
          {t.cancel}
        </button>
      </div>
    </>
  );
}

function Running({ done, total, onStop }: { done: number; total: number; onStop: () => void }): JSX.Element {
  return (
    <>
      <progress value={done} max={total} aria-label={t.importing.heading} />
      <p>{t.importing.progress(done, total)}</p>
      <button type="button" onClick={onStop}>
        {t.importing.stop}
      </button>
    </>
  );
}

function Finished({
  result,
  isWhole,
  onAgain,
}: {
  result: ImportResult;
  isWhole: boolean;
  onAgain: () => void;
}): JSX.Element {
  return (
    <>
      <p role="status">{isWhole ? t.importing.finished : t.importing.stopped}</p>
      <Numbers
        numbers={[
          [t.importing.added, result.added],
          [t.importing.known, result.known],
          [t.importing.refused, result.refused.length],
        ]}
      />
      <Refused refused={result.refused} />
      <button type="button" onClick={onAgain}>
        {t.importing.again}
      </button>
    </>
  );
}

function Numbers({ numbers }: { numbers: [string, number][] }): JSX.Element {
  return (
    <dl class="numbers">
      {numbers.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{number(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Refused({ refused }: { refused: Refusal[] }): JSX.Element | null {
  if (refused.length === 0) return null;
  return (
    <details class="refused">
      <summary>{`${t.importing.refused}: ${refused.length}`}</summary>
      <ul>
        {refused.slice(0, REFUSALS_SHOWN).map(({ line, text, reason }) => (
          <li key={line}>
            {t.importing.line(line)}: <bdi>{text}</bdi> ({reasonOf(reason)})
          </li>
        ))}
        {refused.length > REFUSALS_SHOWN && <li>{t.importing.moreRefused(refused.length - REFUSALS_SHOWN)}</li>}
      </ul>
    </details>
  );
}
