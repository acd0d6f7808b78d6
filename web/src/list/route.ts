import { useEffect, useState } from 'preact/hooks';
import { readRoute, type Route, routeHash } from './view';

/** What the page shows, and how to go elsewhere. */
export interface Routing {
  route: Route;
  /** Goes to a route, so that the back button leads back. */
  go: (route: Route) => void;
  /** Goes to a route instead of the present one. */
  replace: (route: Route) => void;
  /** Goes to an article, until `close` or the back button. */
  open: (route: Route) => void;
  /** Goes back to the list, without a new entry in the browser's history. */
  close: () => void;
}

interface HistoryState {
  isOpened?: boolean;
}

/** Keeps the route in the URL's fragment, so that the back button works. */
export function useRoute(): Routing {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const follow = () => setRoute(readRoute(location.hash));
    window.addEventListener('hashchange', follow);
    window.addEventListener('popstate', follow);
    return () => {
      window.removeEventListener('hashchange', follow);
      window.removeEventListener('popstate', follow);
    };
  }, []);
  const push = (next: Route, state: HistoryState | null) => {
    history.pushState(state, '', routeHash(next));
    setRoute(next);
  };
  const replace = (next: Route) => {
    history.replaceState(history.state, '', routeHash(next));
    setRoute(next);
  };
  return {
    route,
    replace,
    go: (next) => push(next, null),
    open: (next) => push(next, { isOpened: true }),
    close: () => {
      const list = { view: route.view };
      if (!(history.state as HistoryState | null)?.isOpened) return replace(list);
      setRoute(list);
      history.back();
    },
  };
}
