import type { LocalArticle } from '@reading-list/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { readPreferences } from '../platform/preferences';

/** An article's picture, if the user has switched pictures on, it comes over https, and it can be loaded. */
export function Picture({ article }: { article: LocalArticle }): JSX.Element | null {
  const [broken, setBroken] = useState<string>();
  const { preview } = article;
  if (!preview || preview === broken || !/^https:/i.test(preview) || !readPreferences().pictures) return null;
  return (
    <img
      class="picture"
      src={preview}
      alt=""
      loading="lazy"
      decoding="async"
      referrerpolicy="no-referrer"
      onError={() => setBroken(preview)}
    />
  );
}
