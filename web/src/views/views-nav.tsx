import type { JSX } from 'preact';
import { routeHash, type View, VIEWS } from '../list/view';
import { number, t } from '../texts';

/** The views with their counts. */
export function ViewsNav({ view, counts }: { view: View; counts: Partial<Record<View, number>> }): JSX.Element {
  return (
    <nav class="views" aria-label={t.viewsLabel}>
      <ul>
        {VIEWS.map((name) => (
          <li key={name}>
            <a href={routeHash({ view: name })} aria-current={name === view ? 'page' : undefined}>
              <span>{t.views[name]}</span>{' '}
              <span class="count">{counts[name] === undefined ? '' : number(counts[name])}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
