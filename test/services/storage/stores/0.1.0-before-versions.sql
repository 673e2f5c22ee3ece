CREATE TABLE entries (
     namespace TEXT NOT NULL,
     key TEXT NOT NULL,
     value TEXT NOT NULL,
     expires_at INTEGER,
     PRIMARY KEY (namespace, key)
   ) STRICT, WITHOUT ROWID;
CREATE TABLE spending_days (
     guild_id TEXT NOT NULL,
     user_id TEXT NOT NULL,
     day TEXT NOT NULL,
     millicredits INTEGER NOT NULL,
     cached INTEGER NOT NULL,
     kept_until TEXT NOT NULL,
     PRIMARY KEY (guild_id, user_id, day)
   ) STRICT, WITHOUT ROWID;
CREATE TABLE spending_rates (
     model TEXT PRIMARY KEY,
     characters REAL NOT NULL,
     credits REAL NOT NULL
   ) STRICT, WITHOUT ROWID;
CREATE TABLE spending_reservations (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     day TEXT NOT NULL,
     guild_id TEXT NOT NULL,
     user_id TEXT NOT NULL,
     model TEXT NOT NULL,
     characters INTEGER NOT NULL,
     millicredits INTEGER NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('reserved', 'unknown'))
   ) STRICT;
INSERT INTO entries (namespace,key,value,expires_at) VALUES ('departures', '100000000000000009', '{"value":{"leftAtMs":1700000000000}}', null);
INSERT INTO entries (namespace,key,value,expires_at) VALUES ('member-settings', '200000000000000002 100000000000000001', '{"value":{"voice":{"voiceId":"amy","name":"Amy","model":"local"},"style":"whispering","speed":0.75,"temperature":1}}', null);
INSERT INTO entries (namespace,key,value,expires_at) VALUES ('member-settings', '200000000000000002 everywhere', '{"value":{"voice":{"voiceId":"amy","name":"Amy","model":"local"},"style":"whispering","speed":0.75,"temperature":1}}', null);
INSERT INTO entries (namespace,key,value,expires_at) VALUES ('opt-outs', '200000000000000002', '{"value":{"sinceMs":1795426683735}}', null);
INSERT INTO entries (namespace,key,value,expires_at) VALUES ('registration', 'commands', '{"value":"a-hash"}', null);
INSERT INTO entries (namespace,key,value,expires_at) VALUES ('server-dictionary', '100000000000000001', '{"value":[{"from":"brb","to":"be right back","wholeWord":true},{"from":"É","to":"::e","wholeWord":false,"caseSensitive":true}]}', null);
INSERT INTO entries (namespace,key,value,expires_at) VALUES ('server-settings', '100000000000000001', '{"value":{"defaultVoice":{"voiceId":"amy","name":"Amy","model":"local"},"style":"calm","speed":1.25,"temperature":0.5,"forcedVoice":{"voiceId":"amy","name":"Amy","model":"local"},"allowedModels":["local"],"allowedVoices":[{"voiceId":"amy","name":"Amy","model":"local"}],"allowedRoles":["1"],"blockedRoles":["2"],"mutedMembers":["3","4"],"allowedChannels":["5"],"maxCharacters":300,"confirmAboveCharacters":200,"queueLimit":9,"memberQueueLimit":3,"cooldownSeconds":4,"creditsPerServer":1000.5,"creditsPerMember":50,"autoReadChannels":["6"],"autoReadVoiceChat":true,"autoReadNames":"always","autoReadBots":true,"announceJoins":true,"announceLeaves":true,"aloneSeconds":7,"idleSeconds":60,"hushed":true,"language":"de","tags":false,"blockedWords":["rude","::smile:","it''s"],"blockedWordsMode":"bleep","moderationChannel":"8"}}', null);
INSERT INTO entries (namespace,key,value,expires_at) VALUES ('vanished-voices', '100000000000000001', '{"value":{"voiceIds":["gone"]}}', null);
INSERT INTO entries (namespace,key,value,expires_at) VALUES ('voice-loudness', 'amy', '{"value":{"lufs":-20.5,"seconds":12,"gainDb":2.5}}', null);
INSERT INTO entries (namespace,key,value,expires_at) VALUES ('welcomes', '100000000000000001', '{"value":{"joinedAtMs":1700000000000}}', null);
INSERT INTO spending_days (guild_id,user_id,day,millicredits,cached,kept_until) VALUES ('', '', '2026-01-31', 9000, 1, '9999-12-31');
INSERT INTO spending_days (guild_id,user_id,day,millicredits,cached,kept_until) VALUES ('', '200000000000000002', '2026-01-31', 9000, 1, '9999-12-31');
INSERT INTO spending_days (guild_id,user_id,day,millicredits,cached,kept_until) VALUES ('100000000000000001', '', '2026-01-31', 9000, 1, '9999-12-31');
INSERT INTO spending_days (guild_id,user_id,day,millicredits,cached,kept_until) VALUES ('100000000000000001', '200000000000000002', '2026-01-31', 9000, 1, '9999-12-31');
INSERT INTO spending_rates (model,characters,credits) VALUES ('local', 120, 4);
INSERT INTO spending_reservations (id,day,guild_id,user_id,model,characters,millicredits,state) VALUES (2, '2026-01-31', '100000000000000001', '200000000000000002', 'local', 120, 5000, 'reserved');
PRAGMA user_version = 2;
