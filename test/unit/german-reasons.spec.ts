import { expect, it } from 'vitest';
import { type Failure, germanReason } from '../../web/src/german-reasons.js';

it.each<[Failure, string]>([
  [{ message: 'title: too much of a good thing', errno: 109, field: 'title' }, 'Titel: zu lang'],
  [{ message: 'anything', errno: 109, field: 'title' }, 'Titel: zu lang'],
  [{ message: 'url: whatever', errno: 109, field: 'url' }, 'Adresse: keine vollständige Adresse, oder eine zu lange'],
  [{ message: 'favorite: longer', errno: 109, field: 'favorite' }, 'Favorit: kein gültiger Wert'],
  [{ message: 'who knows', errno: 109 }, 'unbekannter Grund'],
  [{ message: 'another', errno: 122 }, 'die Seite steht schon auf der Liste'],
  [
    { message: 'too many', errno: 121 },
    'das Token darf nur lesen, oder die Liste ist voll, oder der Dienst erlaubt es nicht',
  ],
  [{ message: 'GET https://x: TypeError', kind: 'network' }, 'der Dienst ist nicht erreichbar'],
  [{ message: 'url: longer than 2048 characters' }, 'Adresse: zu lang'],
  [{ message: 'line 3: a quoted field has no end' }, 'Zeile 3: ein Anführungszeichen ohne Ende'],
  [{ message: 'a quotation mark that is never closed' }, 'ein Anführungszeichen ohne Ende'],
  [{ message: 'the archive is encrypted' }, 'das Archiv ist verschlüsselt'],
  [{ message: 'these are passwords, not a reading list' }, 'Passwörter, keine Leseliste'],
  [{ message: 'more values than columns' }, 'mehr Werte als Spalten'],
])('the reason for %j in German is %j', (failure, reason) => {
  expect(germanReason(failure, { title: 'Titel', favorite: 'Favorit' })).toBe(reason);
});
