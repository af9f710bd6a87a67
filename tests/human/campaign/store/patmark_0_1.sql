BEGIN TRANSACTION;
CREATE TABLE answers (
	number INTEGER NOT NULL, 
	page INTEGER NOT NULL, 
	evaluator INTEGER NOT NULL, 
	candidate TEXT NOT NULL, 
	question TEXT NOT NULL, 
	revision INTEGER NOT NULL, 
	value TEXT, 
	detail TEXT NOT NULL, 
	counts BOOLEAN NOT NULL, 
	client TEXT, 
	seconds FLOAT, 
	saved TEXT NOT NULL, 
	CONSTRAINT pk_answers PRIMARY KEY (number), 
	CONSTRAINT fk_answers_page FOREIGN KEY(page) REFERENCES pages (number) ON DELETE CASCADE, 
	CONSTRAINT fk_answers_evaluator FOREIGN KEY(evaluator) REFERENCES evaluators (number) ON DELETE CASCADE, 
	CONSTRAINT uq_answers_page_candidate_question_revision UNIQUE (page, candidate, question, revision), 
	CONSTRAINT uq_answers_evaluator_client UNIQUE (evaluator, client)
);
INSERT INTO "answers" VALUES(1,1,1,'A','adequacy',1,'3','{}',1,NULL,1.5,'2026-11-16T14:49:20.311Z');
INSERT INTO "answers" VALUES(2,1,1,'B','adequacy',1,'3','{}',1,NULL,1.5,'2026-11-16T14:49:20.327Z');
INSERT INTO "answers" VALUES(3,1,1,'','better',1,'first','{}',1,NULL,NULL,'2026-11-16T14:49:20.328Z');
INSERT INTO "answers" VALUES(4,2,1,'A','adequacy',1,'3','{}',1,NULL,1.5,'2026-11-16T14:49:20.374Z');
INSERT INTO "answers" VALUES(5,2,1,'B','adequacy',1,'3','{}',1,NULL,1.5,'2026-11-16T14:49:20.375Z');
INSERT INTO "answers" VALUES(6,2,1,'','better',1,'first','{}',1,NULL,NULL,'2026-11-16T14:49:20.375Z');
INSERT INTO "answers" VALUES(7,4,2,'A','adequacy',1,'2','{}',1,NULL,1.5,'2026-11-16T14:49:20.380Z');
CREATE TABLE campaigns (
	number INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	created TEXT NOT NULL, 
	closed TEXT, 
	organiser_hash TEXT NOT NULL, 
	form_id TEXT NOT NULL, 
	form_version INTEGER NOT NULL, 
	form TEXT NOT NULL, 
	source_language TEXT, 
	target_language TEXT NOT NULL, 
	seed TEXT NOT NULL, 
	pass_mark FLOAT, 
	settings TEXT NOT NULL, 
	notes TEXT NOT NULL, 
	CONSTRAINT pk_campaigns PRIMARY KEY (number), 
	CONSTRAINT uq_campaigns_id UNIQUE (id), 
	CONSTRAINT uq_campaigns_organiser_hash UNIQUE (organiser_hash)
);
INSERT INTO "campaigns" VALUES(1,'NQMjvKxScyeZAbil','Test campaign','2026-11-16T14:49:20.222Z',NULL,'8a1c9514ffe0610f189a3384df6fbd2b7038a45b7dda74ed2c08d3975932aefb','test-form',2,'{"id":"test-form","version":2,"material":"outputs","title":{"en":"Test","zh":"Test（中文）","ja":"Test（日本語）"},"guideline":{"en":"# How to judge\n\n<b>not bold</b> & so on","zh":"# How to judge\n\n<b>not bold</b> & so on（中文）","ja":"# How to judge\n\n<b>not bold</b> & so on（日本語）"},"questions":[{"id":"adequacy","kind":"grade","title":{"en":"Adequacy","zh":"Adequacy（中文）","ja":"Adequacy（日本語）"},"help":{},"choices":[{"value":"3","key":"3","label":{"en":"grade 3","zh":"grade 3（中文）","ja":"grade 3（日本語）"},"hint":{},"is_grade":true},{"value":"2","key":"2","label":{"en":"grade 2","zh":"grade 2（中文）","ja":"grade 2（日本語）"},"hint":{},"is_grade":true},{"value":"1","key":"1","label":{"en":"grade 1","zh":"grade 1（中文）","ja":"grade 1（日本語）"},"hint":{},"is_grade":true}],"categories":[],"steps":[],"lowest":0,"highest":0,"required":true},{"id":"extra","kind":"chart","title":{"en":"Extra","zh":"Extra（中文）","ja":"Extra（日本語）"},"help":{},"choices":[{"value":"3","key":"3","label":{"en":"grade 3","zh":"grade 3（中文）","ja":"grade 3（日本語）"},"hint":{},"is_grade":true},{"value":"2","key":"2","label":{"en":"grade 2","zh":"grade 2（中文）","ja":"grade 2（日本語）"},"hint":{},"is_grade":true},{"value":"1","key":"1","label":{"en":"grade 1","zh":"grade 1（中文）","ja":"grade 1（日本語）"},"hint":{},"is_grade":true}],"categories":[],"steps":[{"id":"all","question":{"en":"All?","zh":"All?（中文）","ja":"All?（日本語）"},"yes":"=3","no":"=1"}],"lowest":0,"highest":0,"required":false},{"id":"better","kind":"preference","title":{"en":"Better","zh":"Better（中文）","ja":"Better（日本語）"},"help":{},"choices":[],"categories":[],"steps":[],"lowest":0,"highest":0,"required":true}],"computed":[],"candidates":0,"shows_source":true,"shows_reference":false,"marks_differences":false}','ja','en','1180591620717411303425',0.75,'{"evaluators":["ann","bob"],"runs":{"atlas":"a.txt"}}','["ann has one page more","balanced"]');
CREATE TABLE consensus (
	number INTEGER NOT NULL, 
	campaign INTEGER NOT NULL, 
	segment TEXT NOT NULL, 
	systems TEXT NOT NULL, 
	question TEXT NOT NULL, 
	value TEXT, 
	note TEXT NOT NULL, 
	saved TEXT NOT NULL, 
	CONSTRAINT pk_consensus PRIMARY KEY (number), 
	CONSTRAINT fk_consensus_campaign FOREIGN KEY(campaign) REFERENCES campaigns (number) ON DELETE CASCADE
);
CREATE TABLE evaluators (
	number INTEGER NOT NULL, 
	campaign INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	token_hash TEXT, 
	expires TEXT, 
	revoked TEXT, 
	qualified BOOLEAN, 
	excluded TEXT, 
	CONSTRAINT pk_evaluators PRIMARY KEY (number), 
	CONSTRAINT fk_evaluators_campaign FOREIGN KEY(campaign) REFERENCES campaigns (number) ON DELETE CASCADE, 
	CONSTRAINT uq_evaluators_token_hash UNIQUE (token_hash), 
	CONSTRAINT uq_evaluators_campaign_name UNIQUE (campaign, name)
);
INSERT INTO "evaluators" VALUES(1,1,'ann','ad1480e9f4ff6946c38a9ca931bfa5e7fec048561076ffd8f4742ee618e60f38',NULL,NULL,NULL,NULL);
INSERT INTO "evaluators" VALUES(2,1,'bob','94c55dac394224d6ed8c1df196a382ee186fc9ef600c7f053c43a057f3b9330a',NULL,NULL,NULL,'asleep');
CREATE TABLE events (
	number INTEGER NOT NULL, 
	campaign INTEGER NOT NULL, 
	evaluator INTEGER, 
	at TEXT NOT NULL, 
	actor TEXT NOT NULL, 
	action TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (number), 
	CONSTRAINT fk_events_campaign FOREIGN KEY(campaign) REFERENCES campaigns (number) ON DELETE CASCADE, 
	CONSTRAINT fk_events_evaluator FOREIGN KEY(evaluator) REFERENCES evaluators (number) ON DELETE SET NULL
);
INSERT INTO "events" VALUES(1,1,NULL,'2026-11-16T14:49:20.246Z','organiser','created','');
INSERT INTO "events" VALUES(2,1,2,'2026-11-16T14:49:20.411Z','organiser','excluded','asleep');
CREATE TABLE pages (
	number INTEGER NOT NULL, 
	campaign INTEGER NOT NULL, 
	evaluator INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	phase TEXT NOT NULL, 
	segment TEXT NOT NULL, 
	labels TEXT NOT NULL, 
	needed INTEGER NOT NULL, 
	body TEXT NOT NULL, 
	CONSTRAINT pk_pages PRIMARY KEY (number), 
	CONSTRAINT fk_pages_campaign FOREIGN KEY(campaign) REFERENCES campaigns (number) ON DELETE CASCADE, 
	CONSTRAINT fk_pages_evaluator FOREIGN KEY(evaluator) REFERENCES evaluators (number) ON DELETE CASCADE, 
	CONSTRAINT uq_pages_campaign_id UNIQUE (campaign, id)
);
INSERT INTO "pages" VALUES(1,1,1,'ann-0',0,'training','s0','["A","B"]',3,'{"candidates":[{"label":"A","systems":["atlas","borealis"],"text":"A <sub>2</sub> claim & more","edits":[]},{"label":"B","systems":["castor"],"text":"請求項１に記載の装置","edits":["dropped a word"]}],"source":"請求項１\n<script>alert(1)</script>","reference":"Claim 1","document":"JP-1","context":{"title":"Device","around":["before","after"]},"expected":{"A":{"adequacy":"3"}}}');
INSERT INTO "pages" VALUES(2,1,1,'ann-1',1,'main','s1','["A","B"]',3,'{"candidates":[{"label":"A","systems":["atlas","borealis"],"text":"A <sub>2</sub> claim & more","edits":[]},{"label":"B","systems":["castor"],"text":"請求項１に記載の装置","edits":["dropped a word"]}],"source":"請求項１\n<script>alert(1)</script>","reference":"Claim 1","document":"JP-1","context":{"title":"Device","around":["before","after"]},"expected":{}}');
INSERT INTO "pages" VALUES(3,1,2,'bob-0',0,'training','s0','["A","B"]',3,'{"candidates":[{"label":"A","systems":["atlas","borealis"],"text":"A <sub>2</sub> claim & more","edits":[]},{"label":"B","systems":["castor"],"text":"請求項１に記載の装置","edits":["dropped a word"]}],"source":"請求項１\n<script>alert(1)</script>","reference":"Claim 1","document":"JP-1","context":{"title":"Device","around":["before","after"]},"expected":{"A":{"adequacy":"3"}}}');
INSERT INTO "pages" VALUES(4,1,2,'bob-1',1,'main','s1','["A","B"]',3,'{"candidates":[{"label":"A","systems":["atlas","borealis"],"text":"A <sub>2</sub> claim & more","edits":[]},{"label":"B","systems":["castor"],"text":"請求項１に記載の装置","edits":["dropped a word"]}],"source":"請求項１\n<script>alert(1)</script>","reference":"Claim 1","document":"JP-1","context":{"title":"Device","around":["before","after"]},"expected":{}}');
CREATE TABLE patmark_schema (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT patmark_schema_pkc PRIMARY KEY (version_num)
);
INSERT INTO "patmark_schema" VALUES('0001');
CREATE TABLE remarks (
	number INTEGER NOT NULL, 
	page INTEGER NOT NULL, 
	evaluator INTEGER NOT NULL, 
	text TEXT NOT NULL, 
	flagged BOOLEAN NOT NULL, 
	saved TEXT NOT NULL, 
	CONSTRAINT pk_remarks PRIMARY KEY (number), 
	CONSTRAINT fk_remarks_page FOREIGN KEY(page) REFERENCES pages (number) ON DELETE CASCADE, 
	CONSTRAINT fk_remarks_evaluator FOREIGN KEY(evaluator) REFERENCES evaluators (number) ON DELETE CASCADE
);
INSERT INTO "remarks" VALUES(1,4,2,'odd',1,'2026-11-16T14:49:20.394Z');
CREATE TABLE sessions (
	hash TEXT NOT NULL, 
	campaign INTEGER NOT NULL, 
	evaluator INTEGER, 
	expires TEXT NOT NULL, 
	CONSTRAINT pk_sessions PRIMARY KEY (hash), 
	CONSTRAINT fk_sessions_campaign FOREIGN KEY(campaign) REFERENCES campaigns (number) ON DELETE CASCADE, 
	CONSTRAINT fk_sessions_evaluator FOREIGN KEY(evaluator) REFERENCES evaluators (number) ON DELETE CASCADE
);
CREATE INDEX ix_sessions_evaluator ON sessions (evaluator);
CREATE INDEX ix_pages_evaluator_position ON pages (evaluator, position);
CREATE INDEX ix_remarks_page ON remarks (page);
CREATE INDEX ix_remarks_evaluator ON remarks (evaluator);
CREATE INDEX ix_consensus_campaign ON consensus (campaign);
CREATE INDEX ix_events_campaign ON events (campaign);
CREATE INDEX ix_events_evaluator ON events (evaluator);
COMMIT;
