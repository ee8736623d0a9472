"""What is handed on of an explorer: its view as text, a page, a picture, a table. No Spark here."""
